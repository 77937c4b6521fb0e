// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/host_linear.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/scratch_buffer.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

// Parts begin at multiples of this, so that no worker is left with a sliver that the GEMM kernels handle
// slowly.
constexpr std::int64_t partGranule = 16;

void activateRow(LinearActivation activation, std::span<float> values) {
    switch (activation) {
        case LinearActivation::None:
            return;
        case LinearActivation::GeluTanh:
            return geluTanh(values);
        case LinearActivation::GeluErf:
            return geluErf(values);
        case LinearActivation::Silu:
            return silu(values);
    }
}

void addTo(std::span<float> sum, std::span<const float> values) {
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += values[i];
}

void addTo(std::span<BFloat16> sum, std::span<float> values) {
    for (std::size_t i = 0; i < sum.size(); ++i)
        values[i] += toFloat(sum[i]);
    convert(std::span<const float>(values), sum);
}

void writeRow(const MatrixSpan& y, std::int64_t row, std::span<float> values, bool add) {
    const bool isF32 = y.dtype() == DType::F32;
    if (add && isF32)
        addTo(y.row<float>(row), values);
    else if (add)
        addTo(y.row<BFloat16>(row), values);
    else if (!isF32 || values.data() != y.row<float>(row).data())
        y.writeRow(row, values);
}

// Rows of a block of columns lie apart, which hardware does not fetch ahead.
void fetchRow(const MatrixSpan& y, std::int64_t row) {
    constexpr std::size_t lineBytes = 64;
    if (row >= y.rows())
        return;
    const std::size_t elementBytes = byteSize(y.dtype());
    const auto* to =
        static_cast<const std::byte*>(y.data()) + static_cast<std::size_t>(row * y.stride()) * elementBytes;
    const std::size_t bytes = static_cast<std::size_t>(y.width()) * elementBytes;
    for (std::size_t offset = 0; offset < bytes; offset += lineBytes)
        __builtin_prefetch(to + offset, 1);
}

}  // namespace

void finishLinear(const LinearEpilogue& epilogue, const LinearProducts& products, const MatrixSpan& y) {
    constexpr std::int64_t rowsAhead = 6;
    for (std::int64_t row = 0; row < y.rows(); ++row) {
        fetchRow(y, row + rowsAhead);
        const std::span<float> values(products.values + row * products.stride,
                                      static_cast<std::size_t>(y.width()));
        activateRow(epilogue.activation, values);
        for (std::size_t i = 0; i < epilogue.gate.size(); ++i)
            values[i] *= epilogue.gate[i];
        writeRow(y, row, values, epilogue.addToOutput);
    }
}

void HostLinear::apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
                       const LinearEpilogue& epilogue) const {
    if (!x.isOnHost() || !y.isOnHost())
        throw Error(ErrorKind::Internal, "rows of a device's memory met weights of the host");
    const bool splitRows = x.rows() >= y.width() || !splitsOutputs();
    const std::int64_t extent = splitRows ? x.rows() : y.width();
    const std::int64_t granules = (extent + partGranule - 1) / partGranule;
    execution.workers.parallelFor(granules, [&](std::int64_t firstGranule, std::int64_t endGranule) {
        const std::int64_t first = firstGranule * partGranule;
        const std::int64_t end = std::min(extent, endGranule * partGranule);
        if (splitRows)
            applyPart(x.slice(first, end - first), y.slice(first, end - first), epilogue,
                      {.first = 0, .end = y.width()});
        else
            applyPart(x, y.columns(first, end - first), epilogue.columns(first, end),
                      {.first = first, .end = end});
    });
}

namespace {

// Rows whose inputs or products are held in f32 beside x and y: enough that the weight's panels, which
// OpenBLAS packs anew for each block, cost little.
constexpr std::int64_t f32BlockRows = 384;

class F32Linear : public HostLinear {
  public:
    F32Linear(Tensor weight, Tensor bias) : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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

std::unique_ptr<HostLinear> makeF32Linear(Tensor weight, Tensor bias) {
    return std::make_unique<F32Linear>(std::move(weight), std::move(bias));
}

std::unique_ptr<HostLinear> f32LinearFromParts(const PackedForm& form) {
    const auto elements = static_cast<std::size_t>(form.outFeatures * form.inFeatures);
    requireParts(form, {elements * sizeof(float), biasPart});
    return makeF32Linear(form.parts[0].reshaped({form.outFeatures, form.inFeatures}), form.parts[1]);
}

namespace {

// OpenBLAS packs the rows anew for each panel, and a panel is unpacked anew for each block of rows: both must
// be large for that to cost little. Panels are bounded so that they leave room in a last-level cache.
constexpr std::int64_t unpackedBlockRows = 768;
constexpr std::int64_t panelBytes = 16 << 20;
constexpr std::int64_t mostPanelOutputs = 1024;
constexpr std::int64_t panelGranule = 16;

std::int64_t outputsOfPanel(std::int64_t in) {
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
        ScratchVector<BFloat16> rounded(row.size());
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
        ScratchVector<std::int8_t> rounded(row.size());
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
    ScratchVector<float> inputScales;
};

template <typename Rows>
class UnpackedLinear : public HostLinear {
  public:
    UnpackedLinear(Rows rows, Tensor bias) : m_rows(std::move(rows)), m_bias(std::move(bias)) {}

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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
        const std::int64_t step = outputsOfPanel(in);
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
        ScratchVector<float> scales(static_cast<std::size_t>(outputs.size()));
        ScratchVector<float> bias(scales.size(), 0.0F);
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

std::unique_ptr<HostLinear> makeUnpackedBf16Linear(Tensor weight, Tensor bias) {
    return std::make_unique<UnpackedLinear<Bf16Rows>>(Bf16Rows(std::move(weight)), std::move(bias));
}

std::unique_ptr<HostLinear> makeUnpackedInt8Linear(Int8Weight weight, Tensor bias) {
    return std::make_unique<UnpackedLinear<Int8Rows>>(Int8Rows(std::move(weight)), std::move(bias));
}

std::unique_ptr<HostLinear> unpackedBf16LinearFromParts(const PackedForm& form) {
    const auto elements = static_cast<std::size_t>(form.outFeatures * form.inFeatures);
    requireParts(form, {elements * sizeof(BFloat16), biasPart});
    return makeUnpackedBf16Linear(form.parts[0].reshaped({form.outFeatures, form.inFeatures}), form.parts[1]);
}

std::unique_ptr<HostLinear> unpackedInt8LinearFromParts(const PackedForm& form) {
    const auto elements = static_cast<std::size_t>(form.outFeatures * form.inFeatures);
    requireParts(form, {elements, static_cast<std::size_t>(form.outFeatures) * sizeof(float), biasPart});
    return makeUnpackedInt8Linear(
        {.values = form.parts[0].reshaped({form.outFeatures, form.inFeatures}), .scales = form.parts[1]},
        form.parts[2]);
}

}  // namespace meshreel
