// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/tile_product.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

inline constexpr std::int64_t tileInputBytes = tileRowBytes;              ///< of an input step
inline constexpr std::int64_t tileStepBytes = tileStep * tileInputBytes;  ///< of 32 rows or outputs

constexpr std::int64_t tileInputSteps(std::int64_t inputs, std::int64_t elementBytes) {
    return (inputs * elementBytes + tileInputBytes - 1) / tileInputBytes;
}

/// Rows or outputs of `steps` · 64 bytes, filled up to whole steps of 32.
constexpr std::int64_t tiledBytes(std::int64_t count, std::int64_t steps) {
    return tileSteps(count) * steps * tileStepBytes;
}

/// How a layer is cut: the sums of a block, the weights for a stretch of its inputs and those that follow
/// stay within half of a second-level cache of 2 MB. Measured: docs/performance.md.
inline constexpr std::int64_t tileBlockRows = 256;
inline constexpr std::int64_t tileBlockOutputSteps = 8;
inline constexpr std::int64_t tileStagedRows = 2 * tileBlockRows;  ///< of x, packed at once
inline constexpr std::int64_t tileSumStride =
    tileBlockOutputSteps * tileStep + tileRows;  ///< off the period of 4096 bytes

/// Output steps [first, first + steps) of a weight [out, width bytes] into TileProduct::outputs, filled up
/// with zeros.
void packTileOutputs(const TileProductKernel& kernel, const std::byte* weight, std::int64_t out,
                     std::int64_t width, std::int64_t first, std::int64_t steps, std::byte* to);

/// A weight that lies in tiles, [out / 32, inputSteps, 2].
class PackedOutputs {
  public:
    PackedOutputs(const std::byte* tiles, std::int64_t out, std::int64_t steps)
        : m_tiles(tiles), m_outputSteps(tileSteps(out)), m_bytes(steps * tileStepBytes) {}

    [[nodiscard]] const std::byte* block(std::int64_t first, std::int64_t, ScratchBuffer&) const {
        return m_tiles + first * m_bytes;
    }

    /// Where a block will be read, or none.
    [[nodiscard]] const std::byte* ahead(std::int64_t first) const {
        return first < m_outputSteps ? m_tiles + first * m_bytes : nullptr;
    }

  private:
    const std::byte* m_tiles;
    std::int64_t m_outputSteps;
    std::int64_t m_bytes;
};

/// A weight [out, width bytes] whose rows are packed when they are asked for.
class StreamedOutputs {
  public:
    StreamedOutputs(const TileProductKernel& kernel, const std::byte* weight, std::int64_t out,
                    std::int64_t width)
        : m_kernel(kernel), m_weight(weight), m_out(out), m_width(width) {}

    [[nodiscard]] const std::byte* block(std::int64_t first, std::int64_t steps,
                                         ScratchBuffer& scratch) const {
        auto* tiles = scratch.take<std::byte>(steps * tileInputSteps(m_width, 1) * tileStepBytes);
        packTileOutputs(m_kernel, m_weight, m_out, m_width, first, steps, tiles);
        return tiles;
    }

    [[nodiscard]] static const std::byte* ahead(std::int64_t) { return nullptr; }

  private:
    const TileProductKernel& m_kernel;
    const std::byte* m_weight;
    std::int64_t m_out;
    std::int64_t m_width;
};

/// Some rows against some outputs, whose sums begin at `sums`, tileSumStride apart.
template <typename Sum>
struct TileBlock {
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    OutputRange outputs;
    Sum* sums = nullptr;
};

template <typename Sum>
struct TileBlockProduct {
    std::int64_t rows = 0;
    std::int64_t inputSteps = 0;
    const std::byte* packedRows = nullptr;  ///< TileProduct::rows
    OutputRange outputs;
    const Sum* start = nullptr;  ///< of all outputs, filled up to whole steps
};

struct TileBlockScratch {
    ScratchBuffer weights;
    ScratchBuffer sums;
};

/// finish(TileBlock) for every block of a product. `weight` is PackedOutputs or StreamedOutputs.
template <typename Sum, typename Weight, typename Finish>
void multiplyBlocks(const TileProductKernel& kernel, const TileBlockProduct<Sum>& product,
                    const Weight& weight, TileBlockScratch& scratch, const Finish& finish) {
    Sum* sums = scratch.sums.take<Sum>(tileBlockRows * tileSumStride);
    const std::int64_t endStep = tileSteps(product.outputs.end);
    for (std::int64_t step = product.outputs.first / tileStep; step < endStep; step += tileBlockOutputSteps) {
        const std::int64_t steps = std::min(tileBlockOutputSteps, endStep - step);
        const std::int64_t first = std::max(product.outputs.first, step * tileStep);
        const std::int64_t end = std::min(product.outputs.end, (step + steps) * tileStep);
        const std::byte* outputs = weight.block(step, steps, scratch.weights);
        for (std::int64_t row = 0; row < product.rows; row += tileBlockRows) {
            const std::int64_t count = std::min(tileBlockRows, product.rows - row);
            const bool last = row + count == product.rows;
            kernel.multiply({.rowSteps = tileSteps(count),
                             .outputSteps = steps,
                             .inputSteps = product.inputSteps,
                             .rows = product.packedRows + tiledBytes(row, product.inputSteps),
                             .outputs = outputs,
                             .ahead = last ? weight.ahead(step + steps) : outputs,
                             .start = product.start + step * tileStep,
                             .sums = sums,
                             .sumStride = tileSumStride});
            finish(TileBlock<Sum>{.firstRow = row,
                                  .rows = count,
                                  .outputs = {.first = first, .end = end},
                                  .sums = sums + first - step * tileStep});
        }
    }
}

}  // namespace meshreel
