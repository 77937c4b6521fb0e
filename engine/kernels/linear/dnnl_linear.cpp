// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/dnnl_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/kernels/attention/padded_width.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/dnnl_weights.h"
#include "engine/kernels/linear/staged_rows.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

namespace {

using DataType = dnnl::memory::data_type;

// A primitive's rows: a multiple of the granule up to the block, so that a layer needs few primitives. The
// weights' layout is the one that oneDNN wants for a whole block.
constexpr std::int64_t blockRows = 1024;
constexpr std::int64_t rowGranule = 16;
constexpr std::size_t keptPrograms = 24;

DataType dnnlType(DType type) {
    return type == DType::BF16 ? DataType::bf16 : DataType::f32;
}

std::optional<dnnl::algorithm> dnnlActivation(LinearActivation activation) {
    switch (activation) {
        case LinearActivation::None:
            return std::nullopt;
        case LinearActivation::GeluTanh:
            return dnnl::algorithm::eltwise_gelu_tanh;
        case LinearActivation::GeluErf:
            return dnnl::algorithm::eltwise_gelu_erf;
        case LinearActivation::Silu:
            return dnnl::algorithm::eltwise_swish;
    }
    return std::nullopt;
}

struct ProgramKey {
    std::int64_t rows = 0;
    DType output = DType::F32;
    LinearActivation activation = LinearActivation::None;
    bool gate = false;
    bool add = false;

    bool operator==(const ProgramKey&) const = default;
};

/// A product of one shape and epilogue.
struct Program {
    dnnl::matmul matmul;
    dnnl::memory::desc source, weights, bias, gate, destination, scratch;
    int gatePosition = 0;  // among the post-operations
};

struct ProgramShape {
    std::int64_t in = 0;
    std::int64_t out = 0;
    DType type = DType::F32;
    bool bias = false;
};

Program makeProgram(const ProgramShape& shape, const ProgramKey& key, const dnnl::memory::desc& weights) {
    Program program{.matmul = {},
                    .source = dnnlRows(key.rows, shape.in, dnnlType(shape.type)),
                    .weights = weights,
                    .bias = dnnlRows(1, shape.out, DataType::f32),
                    .gate = dnnlRows(1, shape.out, DataType::f32),
                    .destination = dnnlRows(key.rows, shape.out, dnnlType(key.output)),
                    .scratch = {}};
    dnnl::post_ops after;
    if (const auto activation = dnnlActivation(key.activation))
        after.append_eltwise(1.0F, *activation, 1.0F, 0.0F);  // swish: x / (1 + e^-αx) with α = 1
    program.gatePosition = after.len();
    if (key.gate)
        after.append_binary(dnnl::algorithm::binary_mul, program.gate);
    if (key.add)
        after.append_sum(1.0F);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attributes.set_post_ops(after);
    const auto description =
        shape.bias ? dnnl::matmul::desc(program.source, program.weights, program.bias, program.destination)
                   : dnnl::matmul::desc(program.source, program.weights, program.destination);
    const dnnl::matmul::primitive_desc made(description, attributes, dnnlEngine());
    program.weights = made.weights_desc();
    program.scratch = made.scratchpad_desc();
    program.matmul = dnnl::matmul(made);
    return program;
}

std::optional<Program> tryProgram(const ProgramShape& shape, const ProgramKey& key,
                                  const dnnl::memory::desc& weights) {
    try {
        return makeProgram(shape, key, weights);
    } catch (const dnnl::error& failure) {
        if (failure.status != dnnl_unimplemented)
            throw;
        return std::nullopt;
    }
}

ProgramShape shapeOf(std::int64_t out, std::int64_t in, DType type, bool bias) {
    return {.in = paddedWidth(in, type), .out = out, .type = type, .bias = bias};
}

dnnl::memory::desc weightsLayout(const ProgramShape& shape) {
    const dnnl::memory::desc any({shape.in, shape.out}, dnnlType(shape.type), dnnl::memory::format_tag::any);
    return makeProgram(shape, {.rows = blockRows}, any).weights;
}

class DnnlLinear : public LinearKernel {
  public:
    DnnlLinear(std::int64_t in, const ProgramShape& shape, Tensor packed, Tensor bias)
        : m_in(in),
          m_shape(shape),
          m_weights(weightsLayout(shape)),
          m_packed(std::move(packed)),
          m_bias(std::move(bias)) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
               OutputRange) const override {
        Scratch scratch;
        for (std::int64_t row = 0; row < x.rows();) {
            const std::int64_t left = x.rows() - row;
            const std::int64_t count =
                left < rowGranule ? left : std::min(blockRows, left / rowGranule * rowGranule);
            applyBlock(x.slice(row, count), y.slice(row, count), epilogue, scratch);
            row += count;
        }
    }

    [[nodiscard]] bool splitsOutputs() const override { return false; }
    [[nodiscard]] std::string format() const override {
        return dnnlLinearFormat(m_shape.out, m_in, m_shape.type);
    }
    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_packed, m_bias}; }

  private:
    using KeptProgram = std::pair<ProgramKey, std::optional<Program>>;

    struct Scratch {
        StagedRows inputs;
        StagedRows outputs;
        StagedRows products;
        ScratchBuffer library;
    };

    void applyBlock(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                    Scratch& scratch) const {
        const std::int64_t rows = std::max(rowGranule, x.rows());
        const bool wholeRows = rows == x.rows();
        const bool readInPlace = wholeRows && x.dtype() == m_shape.type && x.stride() == m_shape.in;
        const bool writtenInPlace = wholeRows && y.stride() == m_shape.out;
        const MatrixView source = readInPlace ? x : scratch.inputs.fill(x, rows, m_shape.in, m_shape.type);
        const MatrixSpan destination =
            writtenInPlace ? y : scratch.outputs.take(rows, m_shape.out, y.dtype());
        if (!writtenInPlace && epilogue.addToOutput)
            for (std::int64_t row = 0; row < y.rows(); ++row)
                copyRow(y, row, destination);
        execute(source, destination, epilogue, scratch);
        if (!writtenInPlace)
            for (std::int64_t row = 0; row < y.rows(); ++row)
                copyRow(MatrixView(destination), row, y);
    }

    void execute(const MatrixView& source, const MatrixSpan& destination, const LinearEpilogue& epilogue,
                 Scratch& scratch) const {
        const auto fused = program({.rows = source.rows(),
                                    .output = destination.dtype(),
                                    .activation = epilogue.activation,
                                    .gate = !epilogue.gate.empty(),
                                    .add = epilogue.addToOutput});
        if (fused)
            return run(*fused, source, destination, epilogue.gate, scratch.library);
        const auto plain = program({.rows = source.rows()});
        if (!plain)
            throw Error(ErrorKind::Internal, fmt::format("{} has no product of {} rows by {}", dnnlVersion(),
                                                         source.rows(), dnnlLayoutText(m_weights)));
        const MatrixSpan products = scratch.products.take(source.rows(), m_shape.out, DType::F32);
        run(*plain, source, products, {}, scratch.library);
        finishLinear(epilogue, {.values = static_cast<float*>(products.data()), .stride = m_shape.out},
                     destination);
    }

    void run(const Program& program, const MatrixView& source, const MatrixSpan& destination,
             std::span<const float> gate, ScratchBuffer& scratch) const {
        auto* library = scratch.take<std::byte>(static_cast<std::int64_t>(program.scratch.get_size()));
        std::unordered_map<int, dnnl::memory> arguments{
            {DNNL_ARG_SRC, dnnlMemory(program.source, source.data())},
            {DNNL_ARG_WEIGHTS, dnnlMemory(program.weights, m_packed.raw())},
            {DNNL_ARG_DST, dnnlMemory(program.destination, destination.data())},
            {DNNL_ARG_SCRATCHPAD, dnnlMemory(program.scratch, library)}};
        if (m_shape.bias)
            arguments.emplace(DNNL_ARG_BIAS, dnnlMemory(program.bias, m_bias.raw()));
        if (!gate.empty())
            arguments.emplace(DNNL_ARG_ATTR_MULTIPLE_POST_OP(program.gatePosition) | DNNL_ARG_SRC_1,
                              dnnlMemory(program.gate, gate.data()));
        program.matmul.execute(dnnlStream(), arguments);
        dnnlStream().wait();
    }

    /// None where oneDNN cannot fuse the epilogue. The newest are kept.
    std::optional<Program> program(const ProgramKey& key) const {
        const std::lock_guard lock(m_mutex);
        const auto found = std::ranges::find(m_programs, key, &KeptProgram::first);
        if (found != m_programs.end())
            return found->second;
        if (m_programs.size() == keptPrograms)
            m_programs.erase(m_programs.begin());
        return m_programs.emplace_back(key, tryProgram(m_shape, key, m_weights)).second;
    }

    std::int64_t m_in;
    ProgramShape m_shape;
    dnnl::memory::desc m_weights;
    Tensor m_packed;  // the bytes of m_weights
    Tensor m_bias;    // f32 [out], or no elements
    mutable std::mutex m_mutex;
    mutable std::vector<KeptProgram> m_programs;
};

}  // namespace

std::unique_ptr<LinearKernel> makeDnnlLinear(const Tensor& weight, Tensor bias) {
    const std::int64_t out = weight.extent(0);
    const std::int64_t in = weight.extent(1);
    const ProgramShape shape = shapeOf(out, in, weight.dtype(), bias.elements() > 0);
    const dnnl::memory::desc layout = weightsLayout(shape);
    Tensor packed = Tensor::empty({static_cast<std::int64_t>(layout.get_size())}, DType::U8);
    packDnnlWeights(weight.raw(), out, in, layout, packed.raw());
    return std::make_unique<DnnlLinear>(in, shape, std::move(packed), std::move(bias));
}

std::unique_ptr<LinearKernel> dnnlLinearFromParts(const PackedForm& form) {
    const DType type = form.arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    requireParts(
        form, {weightsLayout(shapeOf(form.outFeatures, form.inFeatures, type, false)).get_size(), biasPart});
    const Tensor& bias = form.parts[1];
    return std::make_unique<DnnlLinear>(form.inFeatures,
                                        shapeOf(form.outFeatures, form.inFeatures, type, bias.elements() > 0),
                                        form.parts[0], bias);
}

std::string dnnlLinearFormat(std::int64_t out, std::int64_t in, DType type) {
    return fmt::format("{} {} {}", dnnlVersion(), nameOf(type),
                       dnnlLayoutText(weightsLayout(shapeOf(out, in, type, false))));
}

}  // namespace meshreel
