// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/dispatch/kernel_candidate.h"

namespace meshreel {

/// Custom and flash attention, the best first.
std::span<const KernelCandidate> attentionCandidates();

/// Whether bf16 tile products run here: the first of attentionCandidates() is not rejected.
bool bf16TilesUsable();

}  // namespace meshreel
