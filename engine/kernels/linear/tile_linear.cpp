// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/tile_linear.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/kernels/linear/host_linear.h"
#include "engine/kernels/linear/tile_product.h"
#include "engine/kernels/scratch_buffer.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/kernels/tiles/tile_shape.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

constexpr std::int64_t tileInputBytes = tileRowBytes;              ///< in an input step
constexpr std::int64_t tileStepBytes = tileStep * tileInputBytes;  ///< for 32 rows or outputs

constexpr std::int64_t tileInputSteps(std::int64_t inputs, std::int64_t elementBytes) {
    return (inputs * elementBytes + tileInputBytes - 1) / tileInputBytes;
}

/// Rows or outputs of `steps` · 64 bytes, filled up to whole steps of 32.
constexpr std::int64_t tiledBytes(std::int64_t count, std::int64_t steps) {
    return tileSteps(count) * steps * tileStepBytes;
}

/// How a layer is cut: the sums of a block, the weights for a stretch of its inputs and those that follow
/// stay within half of a second-level cache of 2 MB. Measured: docs/performance.md.
constexpr std::int64_t tileBlockRows = 256;
constexpr std::int64_t tileBlockOutputSteps = 8;
constexpr std::int64_t tileStagedRows = 2 * tileBlockRows;  ///< of x, packed at once
constexpr std::int64_t tileSumStride =
    tileBlockOutputSteps * tileStep + tileRows;  ///< off the period of 4096 bytes

/// Output steps [first, first + steps) of a weight [out, width bytes] into TileProduct::outputs, filled up
/// with zeros.
void packTileOutputs(const TileProductKernel& kernel, const std::byte* weight, std::int64_t out,
                     std::int64_t width, std::int64_t first, std::int64_t steps, std::byte* to) {
    const std::int64_t inputs = tileInputSteps(width, 1);
    const std::int64_t filledWidth = inputs * tileInputBytes;
    ScratchVector<std::byte> filled;
    for (std::int64_t step = first; step < first + steps; ++step, to += inputs * tileStepBytes) {
        TileStepRows rows;
        const bool whole = width == filledWidth && (step + 1) * tileStep <= out;
        filled.assign(whole ? 0 : static_cast<std::size_t>(tileStep * filledWidth), std::byte{});
        for (std::int64_t row = 0; row < tileStep; ++row) {
            const std::int64_t output = step * tileStep + row;
            std::byte* copy = whole ? nullptr : filled.data() + row * filledWidth;
            if (!whole && output < out)
                std::memcpy(copy, weight + output * width, static_cast<std::size_t>(width));
            rows[static_cast<std::size_t>(row)] = whole ? weight + output * width : copy;
        }
        kernel.packOutputs(rows, inputs, to);
    }
}

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
    const Sum* start = nullptr;  ///< for all outputs, filled up to whole steps
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

constexpr std::int64_t elementBytes = sizeof(BFloat16);
constexpr std::int64_t elementsOfStep = tileInputBytes / elementBytes;

void copyPart(const BFloat16* from, std::span<BFloat16> to) {
    std::copy_n(from, to.size(), to.begin());
}

void copyPart(const float* from, std::span<BFloat16> to) {
    convert(std::span<const float>(from, to.size()), to);
}

/// The rows of x as TileProduct::rows, filled up with zeros.
template <typename T>
void packRows(const MatrixView& x, BFloat16* to) {
    const std::int64_t width = x.width();
    const auto* values = static_cast<const T*>(x.data());
    for (std::int64_t first = 0; first < x.rows(); first += tileStep)
        for (std::int64_t input = 0; input < width; input += elementsOfStep)
            for (std::int64_t row = first; row < first + tileStep; ++row, to += elementsOfStep) {
                const std::int64_t count = row < x.rows() ? std::min(elementsOfStep, width - input) : 0;
                if (count > 0)
                    copyPart(values + row * x.stride() + input, {to, static_cast<std::size_t>(count)});
                std::fill(to + count, to + elementsOfStep, BFloat16{});
            }
}

const std::byte* packRows(const MatrixView& x, ScratchBuffer& scratch) {
    auto* to =
        scratch.take<BFloat16>(tiledBytes(x.rows(), tileInputSteps(x.width(), elementBytes)) / elementBytes);
    if (x.dtype() == DType::BF16)
        packRows<BFloat16>(x, to);
    else
        packRows<float>(x, to);
    return reinterpret_cast<const std::byte*>(to);
}

/// Over a weight held as tiles (PackedOutputs) or as a checkpoint has it (StreamedOutputs).
template <typename Outputs>
class TileLinear : public HostLinear {
  public:
    TileLinear(const TileProductKernel& kernel, Tensor weight, const Outputs& outputs, std::int64_t out,
               Tensor bias)
        : m_kernel(kernel),
          m_weight(std::move(weight)),
          m_outputs(outputs),
          m_bias(std::move(bias)),
          m_start(static_cast<std::size_t>(tileSteps(out) * tileStep), 0.0F) {
        if (m_bias.elements() > 0)
            std::ranges::copy(m_bias.data<float>(), m_start.begin());
    }

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                   OutputRange outputs) const override {
        ScratchBuffer packed;
        TileBlockScratch scratch;
        for (std::int64_t row = 0; row < x.rows(); row += tileStagedRows) {
            const MatrixView rows = x.slice(row, std::min(tileStagedRows, x.rows() - row));
            const TileBlockProduct<float> product{.rows = rows.rows(),
                                                  .inputSteps = tileInputSteps(x.width(), elementBytes),
                                                  .packedRows = packRows(rows, packed),
                                                  .outputs = outputs,
                                                  .start = m_start.data()};
            multiplyBlocks(m_kernel, product, m_outputs, scratch, [&](const TileBlock<float>& block) {
                const std::int64_t first = block.outputs.first - outputs.first;
                const std::int64_t count = block.outputs.size();
                finishLinear(epilogue.columns(first, first + count),
                             {.values = block.sums, .stride = tileSumStride},
                             y.slice(row + block.firstRow, block.rows).columns(first, count));
            });
        }
    }

    [[nodiscard]] std::string format() const override {
        return std::string(std::is_same_v<Outputs, PackedOutputs> ? tilesFormat : bf16RowsFormat);
    }
    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_weight, m_bias}; }

  private:
    const TileProductKernel& m_kernel;
    Tensor m_weight;
    Outputs m_outputs;  // from m_weight
    Tensor m_bias;      // f32 [out], or no elements
    std::vector<float> m_start;
};

std::int64_t packedBytes(std::int64_t out, std::int64_t in) {
    return tiledBytes(out, tileInputSteps(in, elementBytes));
}

std::unique_ptr<HostLinear> overTiles(const TileProductKernel& kernel, Tensor tiles, std::int64_t out,
                                      std::int64_t in, Tensor bias) {
    const PackedOutputs outputs(tiles.raw(), out, tileInputSteps(in, elementBytes));
    return std::make_unique<TileLinear<PackedOutputs>>(kernel, std::move(tiles), outputs, out,
                                                       std::move(bias));
}

}  // namespace

std::unique_ptr<HostLinear> makeTileLinear(const TileProductKernel& kernel, const Tensor& weight,
                                           Tensor bias) {
    const std::int64_t out = weight.extent(0);
    const std::int64_t in = weight.extent(1);
    Tensor tiles = Tensor::empty({packedBytes(out, in)}, DType::U8);
    packTileOutputs(kernel, weight.raw(), out, in * elementBytes, 0, tileSteps(out), tiles.raw());
    return overTiles(kernel, std::move(tiles), out, in, std::move(bias));
}

std::unique_ptr<HostLinear> makeStreamedTileLinear(const TileProductKernel& kernel, Tensor weight,
                                                   Tensor bias) {
    const std::int64_t out = weight.extent(0);
    const StreamedOutputs outputs(kernel, weight.raw(), out, weight.extent(1) * elementBytes);
    return std::make_unique<TileLinear<StreamedOutputs>>(kernel, std::move(weight), outputs, out,
                                                         std::move(bias));
}

std::unique_ptr<HostLinear> tileLinearFromParts(const TileProductKernel& kernel, const PackedForm& form) {
    requireParts(form, {static_cast<std::size_t>(packedBytes(form.outFeatures, form.inFeatures)), biasPart});
    return overTiles(kernel, form.parts[0], form.outFeatures, form.inFeatures, form.parts[1]);
}

namespace {

/// Rows of x rounded to int8, as TileProduct::rows, and what the products of each are to be multiplied by.
class RoundedRows {
  public:
    void fill(const MatrixView& x) {
        const std::int64_t steps = tileInputSteps(x.width(), 1);
        auto* tiles = m_tiles.take<std::byte>(tiledBytes(x.rows(), steps));
        m_scales.assign(static_cast<std::size_t>(x.rows()), 0.0F);
        m_values.resize(static_cast<std::size_t>(x.width()));
        m_rounded.assign(static_cast<std::size_t>(steps * tileInputBytes), std::int8_t{0});
        for (std::int64_t row = 0; row < tileSteps(x.rows()) * tileStep; ++row) {
            if (row < x.rows())
                m_scales[static_cast<std::size_t>(row)] = round(x, row);
            else
                std::ranges::fill(m_rounded, std::int8_t{0});
            std::byte* to = tiles + row / tileStep * steps * tileStepBytes + row % tileStep * tileInputBytes;
            for (std::int64_t step = 0; step < steps; ++step)
                std::memcpy(to + step * tileStepBytes, m_rounded.data() + step * tileInputBytes,
                            tileInputBytes);
        }
        m_packed = tiles;
    }

    [[nodiscard]] const std::byte* packed() const { return m_packed; }
    [[nodiscard]] float scale(std::int64_t row) const { return m_scales[static_cast<std::size_t>(row)]; }

  private:
    float round(const MatrixView& x, std::int64_t row) {
        const std::span<std::int8_t> rounded(m_rounded.data(), m_values.size());
        if (x.dtype() == DType::F32)
            return roundToInt8(x.row<float>(row), rounded);
        x.readRow(row, m_values);
        return roundToInt8(m_values, rounded);
    }

    ScratchBuffer m_tiles;
    ScratchVector<float> m_scales;
    ScratchVector<float> m_values;
    ScratchVector<std::int8_t> m_rounded;
    const std::byte* m_packed = nullptr;
};

class TileInt8Linear : public HostLinear {
  public:
    TileInt8Linear(const TileProductKernel& kernel, Tensor tiles, std::int64_t out, std::int64_t in,
                   Tensor bias, Tensor scales)
        : m_kernel(kernel),
          m_tiles(std::move(tiles)),
          m_outputs(m_tiles.raw(), out, tileInputSteps(in, 1)),
          m_bias(std::move(bias)),
          m_scales(std::move(scales)),
          m_start(static_cast<std::size_t>(tileSteps(out) * tileStep), 0) {}

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                   OutputRange outputs) const override {
        RoundedRows rounded;
        TileBlockScratch scratch;
        for (std::int64_t row = 0; row < x.rows(); row += tileStagedRows) {
            const std::int64_t rows = std::min(tileStagedRows, x.rows() - row);
            rounded.fill(x.slice(row, rows));
            const TileBlockProduct<std::int32_t> product{.rows = rows,
                                                         .inputSteps = tileInputSteps(x.width(), 1),
                                                         .packedRows = rounded.packed(),
                                                         .outputs = outputs,
                                                         .start = m_start.data()};
            multiplyBlocks(m_kernel, product, m_outputs, scratch, [&](const TileBlock<std::int32_t>& block) {
                const std::int64_t first = block.outputs.first - outputs.first;
                const std::int64_t count = block.outputs.size();
                finish(block, rounded, epilogue.columns(first, first + count),
                       y.slice(row + block.firstRow, block.rows).columns(first, count));
            });
        }
    }

    [[nodiscard]] std::string format() const override { return std::string(int8TilesFormat); }
    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_tiles, m_bias, m_scales}; }

  private:
    void finish(const TileBlock<std::int32_t>& block, const RoundedRows& rounded,
                const LinearEpilogue& epilogue, const MatrixSpan& y) const {
        std::array<float, tileSumStride> products{};
        for (std::int64_t row = 0; row < block.rows; ++row) {
            scale(block.outputs, block.sums + row * tileSumStride, rounded.scale(block.firstRow + row),
                  products.data());
            finishLinear(epilogue, {.values = products.data(), .stride = tileSumStride}, y.slice(row, 1));
        }
    }

    void scale(OutputRange outputs, const std::int32_t* sums, float inputScale, float* products) const {
        const float* scales = m_scales.data<float>().data() + outputs.first;
        for (std::int64_t i = 0; i < outputs.size(); ++i)
            products[i] = static_cast<float>(sums[i]) * (scales[i] * inputScale);
        if (m_bias.elements() == 0)
            return;
        const float* bias = m_bias.data<float>().data() + outputs.first;
        for (std::int64_t i = 0; i < outputs.size(); ++i)
            products[i] += bias[i];
    }

    const TileProductKernel& m_kernel;
    Tensor m_tiles;
    PackedOutputs m_outputs;  // from m_tiles
    Tensor m_bias;            // f32 [out], or no elements
    Tensor m_scales;          // f32 [out]
    std::vector<std::int32_t> m_start;
};

}  // namespace

std::unique_ptr<HostLinear> makeTileInt8Linear(const TileProductKernel& kernel, const Int8Weight& weight,
                                               Tensor bias) {
    const std::int64_t out = weight.values.extent(0);
    const std::int64_t in = weight.values.extent(1);
    Tensor tiles = Tensor::empty({tiledBytes(out, tileInputSteps(in, 1))}, DType::U8);
    packTileOutputs(kernel, weight.values.raw(), out, in, 0, tileSteps(out), tiles.raw());
    return std::make_unique<TileInt8Linear>(kernel, std::move(tiles), out, in, std::move(bias),
                                            weight.scales);
}

std::unique_ptr<HostLinear> tileInt8LinearFromParts(const TileProductKernel& kernel, const PackedForm& form) {
    const std::int64_t tiles = tiledBytes(form.outFeatures, tileInputSteps(form.inFeatures, 1));
    requireParts(form, {static_cast<std::size_t>(tiles), biasPart,
                        static_cast<std::size_t>(form.outFeatures) * sizeof(float)});
    return std::make_unique<TileInt8Linear>(kernel, form.parts[0], form.outFeatures, form.inFeatures,
                                            form.parts[1], form.parts[2]);
}

}  // namespace meshreel
