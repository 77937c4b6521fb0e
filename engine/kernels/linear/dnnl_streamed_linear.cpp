// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <unordered_map>

#include "engine/kernels/attention/padded_width.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/dnnl_linear.h"
#include "engine/kernels/linear/dnnl_weights.h"
#include "engine/kernels/linear/staged_rows.h"

namespace meshreel {

namespace {

using DataType = dnnl::memory::data_type;

constexpr std::int64_t streamedBlockRows = 512;     // of x, reordered at once
constexpr std::int64_t blockOutputs = 128;  // rows of the weight, which fit the second-level cache
constexpr std::int64_t granule = 16;        // fewer rows or outputs are filled up with zeros

std::int64_t filledUp(std::int64_t count) {
    return (count + granule - 1) / granule * granule;
}

/// f32 [outputs, rows] = weight [outputs, in] · xᵀ, both bf16.
class Product {
  public:
    Product(std::int64_t outputs, std::int64_t rows, std::int64_t in, const dnnl::memory::desc& inputs)
        : m_weights(dnnlRows(outputs, in, DataType::bf16)), m_sums(dnnlRows(outputs, rows, DataType::f32)) {
        dnnl::primitive_attr attributes;
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        const dnnl::matmul::primitive_desc made({m_weights, inputs, m_sums}, attributes, dnnlEngine());
        m_inputs = made.weights_desc();
        m_scratch = made.scratchpad_desc();
        m_matmul = dnnl::matmul(made);
    }

    [[nodiscard]] const dnnl::memory::desc& inputs() const { return m_inputs; }

    void run(const void* weights, const void* inputs, float* sums, ScratchBuffer& scratch) const {
        auto* library = scratch.take<std::byte>(static_cast<std::int64_t>(m_scratch.get_size()));
        m_matmul.execute(dnnlStream(), {{DNNL_ARG_SRC, dnnlMemory(m_weights, weights)},
                                        {DNNL_ARG_WEIGHTS, dnnlMemory(m_inputs, inputs)},
                                        {DNNL_ARG_DST, dnnlMemory(m_sums, sums)},
                                        {DNNL_ARG_SCRATCHPAD, dnnlMemory(m_scratch, library)}});
        dnnlStream().wait();
    }

  private:
    dnnl::memory::desc m_weights, m_inputs, m_sums, m_scratch;
    dnnl::matmul m_matmul;
};

/// to[row][output] = from[output][row] + bias[output], in squares that the first-level cache holds.
void transpose(const float* from, std::int64_t fromStride, std::span<const float> bias,
               const LinearProducts& to, std::int64_t rows, std::int64_t outputs) {
    constexpr std::int64_t square = 16;
    for (std::int64_t firstRow = 0; firstRow < rows; firstRow += square)
        for (std::int64_t first = 0; first < outputs; first += square)
            for (std::int64_t row = firstRow; row < std::min(rows, firstRow + square); ++row)
                for (std::int64_t output = first; output < std::min(outputs, first + square); ++output)
                    to.values[row * to.stride + output] =
                        from[output * fromStride + row] +
                        (bias.empty() ? 0.0F : bias[static_cast<std::size_t>(output)]);
}

class DnnlStreamedLinear : public LinearKernel {
  public:
    DnnlStreamedLinear(Tensor weight, Tensor bias) : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
               OutputRange outputs) const override {
        Scratch scratch;
        for (std::int64_t row = 0; row < x.rows(); row += streamedBlockRows) {
            const std::int64_t count = std::min(streamedBlockRows, x.rows() - row);
            applyBlock(x.slice(row, count), y.slice(row, count), epilogue, outputs, scratch);
        }
    }

    [[nodiscard]] std::string format() const override { return std::string(bf16RowsFormat); }
    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_weight, m_bias}; }

  private:
    struct Scratch {
        StagedRows inputs;
        StagedRows weights;
        ScratchBuffer reordered;
        ScratchBuffer sums;
        ScratchBuffer products;
        ScratchBuffer library;
    };

    void applyBlock(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                    OutputRange outputs, Scratch& scratch) const {
        const std::int64_t in = paddedWidth(m_weight.extent(1), DType::BF16);
        const std::int64_t rows = filledUp(x.rows());
        const dnnl::memory::desc any({in, rows}, DataType::bf16, dnnl::memory::format_tag::any);
        const Product whole(blockOutputs, rows, in, any);
        auto* inputs =
            scratch.reordered.take<std::byte>(static_cast<std::int64_t>(whole.inputs().get_size()));
        packDnnlWeights(scratch.inputs.fill(x, rows, in, DType::BF16).data(), rows, in, whole.inputs(),
                        inputs);
        for (std::int64_t first = outputs.first; first < outputs.end; first += blockOutputs) {
            const std::int64_t count = std::min(blockOutputs, outputs.end - first);
            const MatrixSpan columns = y.columns(first - outputs.first, count);
            const LinearEpilogue part =
                epilogue.columns(first - outputs.first, first - outputs.first + count);
            const auto finish = [&](const Product& product, std::int64_t height) {
                float* sums = scratch.sums.take<float>(height * rows);
                const MatrixView weights =
                    scratch.weights.fill(MatrixView(m_weight).slice(first, count), height, in, DType::BF16);
                product.run(weights.data(), inputs, sums, scratch.library);
                const LinearProducts products{.values = scratch.products.take<float>(x.rows() * count),
                                              .stride = count};
                transpose(sums, rows, biasOf(first, count), products, x.rows(), count);
                finishLinear(part, products, columns);
            };
            if (count == blockOutputs)
                finish(whole, blockOutputs);
            else
                finish(Product(filledUp(count), rows, in, whole.inputs()), filledUp(count));
        }
    }

    [[nodiscard]] std::span<const float> biasOf(std::int64_t first, std::int64_t count) const {
        if (m_bias.elements() == 0)
            return {};
        return m_bias.data<float>().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    }

    Tensor m_weight;  // bf16 [out, in]
    Tensor m_bias;    // f32 [out], or no elements
};

}  // namespace

std::unique_ptr<LinearKernel> makeDnnlStreamedLinear(Tensor weight, Tensor bias) {
    return std::make_unique<DnnlStreamedLinear>(std::move(weight), std::move(bias));
}

}  // namespace meshreel
