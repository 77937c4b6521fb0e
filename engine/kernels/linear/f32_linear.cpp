// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

namespace {

// Rows whose inputs or products are held in f32 beside x and y: enough that the weight's panels, which
// OpenBLAS packs anew for each block, cost little.
constexpr std::int64_t f32BlockRows = 384;

class F32Linear : public LinearKernel {
  public:
    F32Linear(Tensor weight, Tensor bias) : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
               OutputRange outputs) const override {
        if (x.dtype() == DType::F32 && y.dtype() == DType::F32 && !epilogue.addToOutput) {
            const LinearProducts products{.values = static_cast<float*>(y.data()), .stride = y.stride()};
            multiply(x, products, outputs);
            if (!epilogue.isEmpty())
                finishLinear(epilogue, products, y);
            return;
        }
        ScratchBuffer inputs;
        ScratchBuffer scratch;
        for (std::int64_t row = 0; row < x.rows(); row += f32BlockRows) {
            const std::int64_t count = std::min(f32BlockRows, x.rows() - row);
            const LinearProducts products{.values = scratch.take<float>(count * outputs.size()),
                                          .stride = outputs.size()};
            multiply(asF32(x.slice(row, count), inputs), products, outputs);
            finishLinear(epilogue, products, y.slice(row, count));
        }
    }

    [[nodiscard]] std::string format() const override { return std::string(f32RowsFormat); }
    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_weight, m_bias}; }

  private:
    static MatrixView asF32(const MatrixView& x, ScratchBuffer& scratch) {
        if (x.dtype() == DType::F32)
            return x;
        const auto width = static_cast<std::size_t>(x.width());
        const std::span<float> values(scratch.take<float>(x.rows() * x.width()),
                                      static_cast<std::size_t>(x.rows()) * width);
        for (std::int64_t row = 0; row < x.rows(); ++row)
            x.readRow(row, values.subspan(static_cast<std::size_t>(row) * width, width));
        return {values, x.width()};
    }

    void multiply(const MatrixView& x, const LinearProducts& products, OutputRange outputs) const {
        const std::int64_t in = m_weight.extent(1);
        const bool hasBias = m_bias.elements() > 0;
        if (hasBias) {
            const std::span<const float> bias = m_bias.data<float>().subspan(
                static_cast<std::size_t>(outputs.first), static_cast<std::size_t>(outputs.size()));
            for (std::int64_t row = 0; row < x.rows(); ++row)
                std::ranges::copy(bias, products.values + row * products.stride);
        }
        gemm(false, true, x.rows(), outputs.size(), in, 1.0F, static_cast<const float*>(x.data()), x.stride(),
             m_weight.data<float>().data() + outputs.first * in, in, hasBias ? 1.0F : 0.0F, products.values,
             products.stride);
    }

    Tensor m_weight;  // f32 [out, in]
    Tensor m_bias;    // f32 [out], or no elements
};

}  // namespace

std::unique_ptr<LinearKernel> makeF32Linear(Tensor weight, Tensor bias) {
    return std::make_unique<F32Linear>(std::move(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> f32LinearFromParts(const PackedForm& form) {
    const auto elements = static_cast<std::size_t>(form.outFeatures * form.inFeatures);
    requireParts(form, {elements * sizeof(float), biasPart});
    return makeF32Linear(form.parts[0].reshaped({form.outFeatures, form.inFeatures}), form.parts[1]);
}

}  // namespace meshreel
