// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/rows/rope.h"

namespace meshreel {

/// Returns the share of the pairs of blocks that a rule keeps of a video on one device: for radial and svg,
/// that of a sample of its blocks of queries; for sol, whose share depends on what is attended to, that of
/// scores with a normal distribution.
double expectedKeptShare(const SparseRule& rule, const TokenGrid& video);

}  // namespace meshreel
