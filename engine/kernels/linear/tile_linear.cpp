// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/tile_linear.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/kernels/linear/tile_blocks.h"

namespace meshreel {

namespace {

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
class TileLinear : public LinearKernel {
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

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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
    Outputs m_outputs;  // of m_weight
    Tensor m_bias;      // f32 [out], or no elements
    std::vector<float> m_start;
};

std::int64_t packedBytes(std::int64_t out, std::int64_t in) {
    return tiledBytes(out, tileInputSteps(in, elementBytes));
}

std::unique_ptr<LinearKernel> overTiles(const TileProductKernel& kernel, Tensor tiles, std::int64_t out,
                                        std::int64_t in, Tensor bias) {
    const PackedOutputs outputs(tiles.raw(), out, tileInputSteps(in, elementBytes));
    return std::make_unique<TileLinear<PackedOutputs>>(kernel, std::move(tiles), outputs, out,
                                                       std::move(bias));
}

}  // namespace

std::unique_ptr<LinearKernel> makeTileLinear(const TileProductKernel& kernel, const Tensor& weight,
                                             Tensor bias) {
    const std::int64_t out = weight.extent(0);
    const std::int64_t in = weight.extent(1);
    Tensor tiles = Tensor::empty({packedBytes(out, in)}, DType::U8);
    packTileOutputs(kernel, weight.raw(), out, in * elementBytes, 0, tileSteps(out), tiles.raw());
    return overTiles(kernel, std::move(tiles), out, in, std::move(bias));
}

std::unique_ptr<LinearKernel> makeStreamedTileLinear(const TileProductKernel& kernel, Tensor weight,
                                                     Tensor bias) {
    const std::int64_t out = weight.extent(0);
    const StreamedOutputs outputs(kernel, weight.raw(), out, weight.extent(1) * elementBytes);
    return std::make_unique<TileLinear<StreamedOutputs>>(kernel, std::move(weight), outputs, out,
                                                         std::move(bias));
}

std::unique_ptr<LinearKernel> tileLinearFromParts(const TileProductKernel& kernel, const PackedForm& form) {
    requireParts(form, {static_cast<std::size_t>(packedBytes(form.outFeatures, form.inFeatures)), biasPart});
    return overTiles(kernel, form.parts[0], form.outFeatures, form.inFeatures, form.parts[1]);
}

}  // namespace meshreel
