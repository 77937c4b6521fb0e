// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

namespace {

// OpenBLAS packs the rows anew for each panel, and a panel is unpacked anew for each block of rows: both must
// be large for that to cost little. Panels are bounded so that they leave room in a last-level cache.
constexpr std::int64_t unpackedBlockRows = 768;
constexpr std::int64_t panelBytes = 16 << 20;
constexpr std::int64_t mostPanelOutputs = 1024;
constexpr std::int64_t panelGranule = 16;

std::int64_t panelOutputs(std::int64_t in) {
    const std::int64_t fitting = panelBytes / (in * static_cast<std::int64_t>(sizeof(float)));
    return std::clamp(fitting / panelGranule * panelGranule, panelGranule, mostPanelOutputs);
}

// A rounded weight says how to round a row of x alike (returning what its products are to be multiplied by),
// how to unpack its own rows, and what its products are to be multiplied by.

class Bf16Rows {
  public:
    static constexpr std::string_view format = bf16RowsFormat;

    explicit Bf16Rows(Tensor values) : m_values(std::move(values)) {}

    [[nodiscard]] std::int64_t out() const { return m_values.extent(0); }
    [[nodiscard]] std::int64_t in() const { return m_values.extent(1); }
    [[nodiscard]] std::vector<Tensor> parts() const { return {m_values}; }

    static float roundInputs(std::span<float> row, DType given) {
        if (given == DType::BF16)
            return 1.0F;
        std::vector<BFloat16> rounded(row.size());
        convert(std::span<const float>(row), rounded);
        convert(std::span<const BFloat16>(rounded), row);
        return 1.0F;
    }

    void unpack(std::int64_t index, std::span<float> to) const {
        convert(m_values.data<BFloat16>().subspan(static_cast<std::size_t>(index * in()), to.size()), to);
    }

    static float scale(std::int64_t) { return 1.0F; }

  private:
    Tensor m_values;
};

class Int8Rows {
  public:
    static constexpr std::string_view format = int8RowsFormat;

    explicit Int8Rows(Int8Weight weight) : m_weight(std::move(weight)) {}

    [[nodiscard]] std::int64_t out() const { return m_weight.values.extent(0); }
    [[nodiscard]] std::int64_t in() const { return m_weight.values.extent(1); }
    [[nodiscard]] std::vector<Tensor> parts() const { return {m_weight.values, m_weight.scales}; }

    static float roundInputs(std::span<float> row, DType) {
        std::vector<std::int8_t> rounded(row.size());
        const float result = roundToInt8(row, rounded);
        std::ranges::copy(rounded, row.begin());
        return result;
    }

    void unpack(std::int64_t index, std::span<float> to) const {
        std::ranges::copy(m_weight.row(index), to.begin());
    }

    [[nodiscard]] float scale(std::int64_t index) const {
        return m_weight.scales.data<float>()[static_cast<std::size_t>(index)];
    }

  private:
    Int8Weight m_weight;
};

struct Scratch {
    ScratchBuffer inputs;
    ScratchBuffer panel;
    ScratchBuffer products;
    std::vector<float> inputScales;
};

template <typename Rows>
class UnpackedLinear : public LinearKernel {
  public:
    UnpackedLinear(Rows rows, Tensor bias) : m_rows(std::move(rows)), m_bias(std::move(bias)) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
               OutputRange outputs) const override {
        const bool direct = y.dtype() == DType::F32 && !epilogue.addToOutput;
        const std::int64_t rows = std::min(unpackedBlockRows, x.rows());
        Scratch scratch;
        scratch.inputScales.resize(static_cast<std::size_t>(rows));
        float* inputs = scratch.inputs.take<float>(rows * m_rows.in());
        float* sums = direct ? nullptr : scratch.products.take<float>(rows * outputs.size());
        for (std::int64_t row = 0; row < x.rows(); row += rows) {
            const std::int64_t count = std::min(rows, x.rows() - row);
            readBlock(x.slice(row, count), inputs, scratch.inputScales);
            const MatrixSpan block = y.slice(row, count);
            const LinearProducts products =
                direct ? LinearProducts{.values = static_cast<float*>(block.data()), .stride = y.stride()}
                       : LinearProducts{.values = sums, .stride = outputs.size()};
            multiply(inputs, count, products, outputs, scratch.panel);
            finish(products, outputs, scratch.inputScales, epilogue, block);
        }
    }

    [[nodiscard]] std::string format() const override { return std::string(Rows::format); }

    [[nodiscard]] std::vector<Tensor> parts() const override {
        std::vector<Tensor> result = m_rows.parts();
        result.push_back(m_bias);
        return result;
    }

  private:
    static void readBlock(const MatrixView& x, float* inputs, std::span<float> scales) {
        const auto width = static_cast<std::size_t>(x.width());
        for (std::int64_t row = 0; row < x.rows(); ++row) {
            const std::span<float> values(inputs + row * x.width(), width);
            x.readRow(row, values);
            scales[static_cast<std::size_t>(row)] = Rows::roundInputs(values, x.dtype());
        }
    }

    void multiply(const float* inputs, std::int64_t rows, const LinearProducts& products, OutputRange outputs,
                  ScratchBuffer& scratch) const {
        const std::int64_t in = m_rows.in();
        const std::int64_t step = panelOutputs(in);
        for (std::int64_t first = outputs.first; first < outputs.end; first += step) {
            const std::int64_t count = std::min(step, outputs.end - first);
            auto* panel = scratch.take<float>(count * in);
            for (std::int64_t index = 0; index < count; ++index)
                m_rows.unpack(first + index, {panel + index * in, static_cast<std::size_t>(in)});
            gemm(false, true, rows, count, in, 1.0F, inputs, in, panel, in, 0.0F,
                 products.values + (first - outputs.first), products.stride);
        }
    }

    /// Row by row, so that a row stays in the first-level cache from its sums to y.
    void finish(const LinearProducts& products, OutputRange outputs, std::span<const float> inputScales,
                const LinearEpilogue& epilogue, const MatrixSpan& y) const {
        std::vector<float> scales(static_cast<std::size_t>(outputs.size()));
        std::vector<float> bias(scales.size(), 0.0F);
        for (std::int64_t index = outputs.first; index < outputs.end; ++index)
            scales[static_cast<std::size_t>(index - outputs.first)] = m_rows.scale(index);
        if (m_bias.elements() > 0)
            std::copy_n(m_bias.data<float>().data() + outputs.first, outputs.size(), bias.data());
        for (std::int64_t row = 0; row < y.rows(); ++row) {
            float* values = products.values + row * products.stride;
            const float inputScale = inputScales[static_cast<std::size_t>(row)];
            for (std::size_t i = 0; i < scales.size(); ++i)
                values[i] = values[i] * (scales[i] * inputScale) + bias[i];
            finishLinear(epilogue, {.values = values, .stride = products.stride}, y.slice(row, 1));
        }
    }

    Rows m_rows;
    Tensor m_bias;  // f32 [out], or no elements
};

}  // namespace

std::unique_ptr<LinearKernel> makeUnpackedBf16Linear(Tensor weight, Tensor bias) {
    return std::make_unique<UnpackedLinear<Bf16Rows>>(Bf16Rows(std::move(weight)), std::move(bias));
}

std::unique_ptr<LinearKernel> makeUnpackedInt8Linear(Int8Weight weight, Tensor bias) {
    return std::make_unique<UnpackedLinear<Int8Rows>>(Int8Rows(std::move(weight)), std::move(bias));
}

std::unique_ptr<LinearKernel> unpackedBf16LinearFromParts(const PackedForm& form) {
    const auto elements = static_cast<std::size_t>(form.outFeatures * form.inFeatures);
    requireParts(form, {elements * sizeof(BFloat16), biasPart});
    return makeUnpackedBf16Linear(form.parts[0].reshaped({form.outFeatures, form.inFeatures}), form.parts[1]);
}

std::unique_ptr<LinearKernel> unpackedInt8LinearFromParts(const PackedForm& form) {
    const auto elements = static_cast<std::size_t>(form.outFeatures * form.inFeatures);
    requireParts(form, {elements, static_cast<std::size_t>(form.outFeatures) * sizeof(float), biasPart});
    return makeUnpackedInt8Linear(
        {.values = form.parts[0].reshaped({form.outFeatures, form.inFeatures}), .scales = form.parts[1]},
        form.parts[2]);
}

}  // namespace meshreel
