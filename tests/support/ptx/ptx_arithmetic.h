// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "tests/support/ptx/ptx_forms.h"
#include "tests/support/ptx/ptx_program.h"

namespace meshreel::testing {

/// A value of each lane.
using PtxLaneValues = std::array<std::uint64_t, ptxLanes>;

/// What an instruction that reads and writes registers alone makes of its operands, in order, lane by lane.
/// Operands that it has not point to any values.
void computePtx(const PtxForm& form, const std::array<const PtxLaneValues*, 4>& in, PtxLaneValues& out);

}  // namespace meshreel::testing
