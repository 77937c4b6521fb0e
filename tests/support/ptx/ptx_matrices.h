// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/support/ptx/ptx_program.h"

namespace meshreel::testing {

/// A 32-bit register of a warp, by lane.
using PtxWords = std::array<std::uint32_t, ptxLanes>;

/// The bytes of a row of an 8×8 matrix of 16-bit elements.
using PtxMatrixRow = std::array<std::byte, 16>;

/// Where a lane's registers lie in the matrices of mma.sync (PTX ISA, "Matrix Fragments for mma.m16n8k16" and
/// "mma.m16n8k32"): with group = lane / 4 and member = lane % 4, in 32-bit words along k,
///   A [16][8 words]: register r is row group + 8 · (r % 2), word member + 4 · (r / 2),
///   B [8 columns][8 words]: register r is column group, word member + 4 · r,
///   C, D [16][8]: register r is row group + 8 · (r / 2), column 2 · member + r % 2.

/// d = a·b + c of bf16 in f32.
std::array<PtxWords, 4> multiplyBf16(std::span<const PtxWords, 4> a, std::span<const PtxWords, 2> b,
                                     std::span<const PtxWords, 4> c);
/// d = a·b + c of int8 in int32.
std::array<PtxWords, 4> multiplyInt8(std::span<const PtxWords, 4> a, std::span<const PtxWords, 2> b,
                                     std::span<const PtxWords, 4> c);
/// What ldmatrix gives the lanes: of row lane / 4 the elements 2 · (lane % 4) and one more; transposed, of
/// column lane / 4.
PtxWords distributeMatrix(std::span<const PtxMatrixRow, 8> rows, bool isTransposed);

}  // namespace meshreel::testing
