// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "engine/kernels/linear/tile_blocks.h"
#include "engine/kernels/linear/tile_linear.h"

namespace meshreel {

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
    std::vector<float> m_scales;
    std::vector<float> m_values;
    std::vector<std::int8_t> m_rounded;
    const std::byte* m_packed = nullptr;
};

class TileInt8Linear : public LinearKernel {
  public:
    TileInt8Linear(const TileProductKernel& kernel, Tensor tiles, std::int64_t out, std::int64_t in,
                   Tensor bias, Tensor scales)
        : m_kernel(kernel),
          m_tiles(std::move(tiles)),
          m_outputs(m_tiles.raw(), out, tileInputSteps(in, 1)),
          m_bias(std::move(bias)),
          m_scales(std::move(scales)),
          m_start(static_cast<std::size_t>(tileSteps(out) * tileStep), 0) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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
    PackedOutputs m_outputs;  // of m_tiles
    Tensor m_bias;            // f32 [out], or no elements
    Tensor m_scales;          // f32 [out]
    std::vector<std::int32_t> m_start;
};

}  // namespace

std::unique_ptr<LinearKernel> makeTileInt8Linear(const TileProductKernel& kernel, const Int8Weight& weight,
                                                 Tensor bias) {
    const std::int64_t out = weight.values.extent(0);
    const std::int64_t in = weight.values.extent(1);
    Tensor tiles = Tensor::empty({tiledBytes(out, tileInputSteps(in, 1))}, DType::U8);
    packTileOutputs(kernel, weight.values.raw(), out, in, 0, tileSteps(out), tiles.raw());
    return std::make_unique<TileInt8Linear>(kernel, std::move(tiles), out, in, std::move(bias),
                                            weight.scales);
}

std::unique_ptr<LinearKernel> tileInt8LinearFromParts(const TileProductKernel& kernel,
                                                      const PackedForm& form) {
    const std::int64_t tiles = tiledBytes(form.outFeatures, tileInputSteps(form.inFeatures, 1));
    requireParts(form, {static_cast<std::size_t>(tiles), biasPart,
                        static_cast<std::size_t>(form.outFeatures) * sizeof(float)});
    return std::make_unique<TileInt8Linear>(kernel, form.parts[0], form.outFeatures, form.inFeatures,
                                            form.parts[1], form.parts[2]);
}

}  // namespace meshreel
