// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

/// Rows of x against rows of a weight (outputs), in tiles: bf16 into f32 sums, or int8 into int32 sums. Rows
/// and outputs count in steps of 32, inputs in steps of 64 bytes. A sum has the same bits whatever is
/// computed beside it: what it starts with first, then the inputs in their order.
struct TileProduct {
    std::int64_t rowSteps = 0;
    std::int64_t outputSteps = 0;
    std::int64_t inputSteps = 0;
    const std::byte* rows = nullptr;     ///< [rowSteps, inputSteps, 2 × 16 rows of 64 bytes]
    const std::byte* outputs = nullptr;  ///< [outputSteps, inputSteps, 2 × 16 words of inputs × 16 outputs]
    const std::byte* ahead = nullptr;    ///< outputs of the product that follows, to be fetched, or none
    const void* start = nullptr;         ///< [outputSteps·32]
    void* sums = nullptr;                ///< [rowSteps·32, outputSteps·32], row-major
    std::int64_t sumStride = 0;          ///< sums from one row to the next
};

/// Where each of 32 rows begins.
using TileStepRows = std::array<const std::byte*, tileStep>;

/// What linear layers are computed with on one tile unit.
struct TileProductKernel {
    /// sums = rows · outputsᵀ + start, on the calling thread.
    void (*multiply)(const TileProduct& product) = nullptr;

    /// 32 rows [32, inputSteps·64 bytes], their elements side by side, as TileProduct::outputs.
    void (*packOutputs)(const TileStepRows& from, std::int64_t inputSteps, std::byte* to) = nullptr;
};

extern const TileProductKernel amxBf16Product;  ///< needs AMX-BF16, AVX-512 BW, DQ and VL
extern const TileProductKernel amxInt8Product;  ///< needs AMX-INT8 and the same

/// Tiles written out in C++: to test it anywhere.
extern const TileProductKernel emulatedBf16Product;
extern const TileProductKernel emulatedInt8Product;

}  // namespace meshreel
