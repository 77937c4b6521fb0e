// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "tests/support/ptx/ptx_forms.h"

namespace meshreel::testing {

/// What an instruction that reads and writes registers alone makes of its operands, in order, those of a
/// lane.
std::uint64_t computePtx(const PtxForm& form, const std::array<std::uint64_t, 4>& in);

}  // namespace meshreel::testing
