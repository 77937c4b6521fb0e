// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/kernels/linear_kernel.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

namespace {

// Rows that an unpacked panel of the weight is multiplied by: enough that unpacking costs little.
constexpr std::int64_t blockRows = 384;
// Output features of a panel, so that it leaves room in a second-level cache.
constexpr std::int64_t panelBytes = 768 << 10;
constexpr std::int64_t panelGranule = 16;

std::int64_t panelOutputs(std::int64_t in) {
    const std::int64_t fitting = panelBytes / (in * static_cast<std::int64_t>(sizeof(float)));
    return std::max(panelGranule, fitting / panelGranule * panelGranule);
}

// What the row is after rounding to bf16, in f32.
void readRounded(const MatrixView& x, std::int64_t row, std::span<BFloat16> rounded, std::span<float> to) {
    if (x.dtype() == DType::BF16)
        return x.readRow(row, to);
    convert(x.row<float>(row), rounded);
    convert(std::span<const BFloat16>(rounded), to);
}

class UnpackedBf16Linear : public LinearKernel {
  public:
    UnpackedBf16Linear(Tensor weight, Tensor bias) : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
               OutputRange outputs) const override {
        const std::int64_t in = m_weight.extent(1);
        const bool direct = y.dtype() == DType::F32 && !epilogue.addToOutput;
        const std::int64_t rows = std::min(blockRows, x.rows());
        Scratch scratch;
        float* inputs = scratch.inputs.take<float>(rows * in);
        float* sums = direct ? nullptr : scratch.products.take<float>(rows * outputs.size());
        for (std::int64_t row = 0; row < x.rows(); row += rows) {
            const std::int64_t count = std::min(rows, x.rows() - row);
            readBlock(x.slice(row, count), inputs);
            const MatrixSpan block = y.slice(row, count);
            const LinearProducts products =
                direct ? LinearProducts{.values = static_cast<float*>(block.data()), .stride = y.stride()}
                       : LinearProducts{.values = sums, .stride = outputs.size()};
            multiply(inputs, count, products, outputs, scratch);
            finishLinear(epilogue, products, block);
        }
    }

    [[nodiscard]] std::size_t bytes() const override { return m_weight.bytes() + m_bias.bytes(); }

  private:
    struct Scratch {
        ScratchBuffer inputs;
        ScratchBuffer panel;
        ScratchBuffer products;
    };

    static void readBlock(const MatrixView& x, float* inputs) {
        const auto width = static_cast<std::size_t>(x.width());
        std::vector<BFloat16> rounded(width);
        for (std::int64_t row = 0; row < x.rows(); ++row)
            readRounded(x, row, rounded, {inputs + row * x.width(), width});
    }

    void multiply(const float* inputs, std::int64_t rows, const LinearProducts& products, OutputRange outputs,
                  Scratch& scratch) const {
        const std::int64_t in = m_weight.extent(1);
        const std::int64_t step = panelOutputs(in);
        for (std::int64_t first = outputs.first; first < outputs.end; first += step) {
            const std::int64_t count = std::min(step, outputs.end - first);
            const auto elements = static_cast<std::size_t>(count * in);
            const std::span<float> panel(scratch.panel.take<float>(count * in), elements);
            convert(m_weight.data<BFloat16>().subspan(static_cast<std::size_t>(first * in), elements), panel);
            float* result = products.values + (first - outputs.first);
            const bool hasBias = m_bias.elements() > 0;
            for (std::int64_t row = 0; hasBias && row < rows; ++row)
                std::copy_n(m_bias.data<float>().data() + first, count, result + row * products.stride);
            gemm(false, true, rows, count, in, 1.0F, inputs, in, panel.data(), in, hasBias ? 1.0F : 0.0F,
                 result, products.stride);
        }
    }

    Tensor m_weight;  // bf16 [out, in]
    Tensor m_bias;    // f32 [out], or no elements
};

}  // namespace

std::unique_ptr<LinearKernel> makeUnpackedBf16Linear(Tensor weight, Tensor bias) {
    return std::make_unique<UnpackedBf16Linear>(std::move(weight), std::move(bias));
}

}  // namespace meshreel
