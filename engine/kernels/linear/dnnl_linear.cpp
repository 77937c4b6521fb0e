// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/dnnl_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/scratch_buffer.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

/// How many elements apart rows of `width` should begin, so that the rows of a tile do not all fall into one
/// set of the first-level cache. Sets repeat every 4096 bytes: with rows a multiple of that apart, the 16
/// rows of a tile compete for 8 to 12 ways. Such rows are lengthened by a cache line.
std::int64_t paddedWidth(std::int64_t width, std::int64_t elementBytes) {
    constexpr std::int64_t setPeriod = 4096;
    constexpr std::int64_t cacheLine = 64;
    return width > 0 && width * elementBytes % setPeriod == 0 ? width + cacheLine / elementBytes : width;
}

std::int64_t paddedWidth(std::int64_t width, DType type) {
    return paddedWidth(width, static_cast<std::int64_t>(byteSize(type)));
}

/// Row `index` of `from`, converted to the type of `to`, whose other columns stay as they are.
void copyRow(const MatrixView& from, std::int64_t index, const MatrixSpan& to) {
    const auto width = static_cast<std::size_t>(from.width());
    if (from.dtype() == DType::F32)
        to.columns(0, from.width()).writeRow(index, from.row<float>(index));
    else if (to.dtype() == DType::F32)
        from.readRow(index, to.row<float>(index).first(width));
    else
        std::ranges::copy(from.row<BFloat16>(index), to.row<BFloat16>(index).begin());
}

/// Rows of another matrix where oneDNN can read or write them: side by side, at least `rows` of them.
class StagedRows {
  public:
    /// Uninitialised; what an earlier call gave is no longer valid.
    MatrixSpan take(std::int64_t rows, std::int64_t width, DType type);

    /// The rows of x as `type`; rows and columns that x lacks are zeros.
    MatrixView fill(const MatrixView& x, std::int64_t rows, std::int64_t width, DType type);

  private:
    ScratchBuffer m_memory;
};

MatrixSpan StagedRows::take(std::int64_t rows, std::int64_t width, DType type) {
    const std::int64_t bytes = rows * width * static_cast<std::int64_t>(byteSize(type));
    return {m_memory.take<std::byte>(bytes), type, {.rows = rows, .width = width, .stride = width}};
}

MatrixView StagedRows::fill(const MatrixView& x, std::int64_t rows, std::int64_t width, DType type) {
    const MatrixSpan staged = take(rows, width, type);
    const auto rowBytes = static_cast<std::size_t>(width) * byteSize(type);
    const bool padded = width != x.width();
    for (std::int64_t row = 0; row < rows; ++row) {
        if (padded || row >= x.rows())
            std::memset(static_cast<std::byte*>(staged.data()) + static_cast<std::size_t>(row) * rowBytes, 0,
                        rowBytes);
        if (row < x.rows())
            copyRow(x, row, staged);
    }
    return staged;
}

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

/// A product that oneDNN has planned and not compiled, which takes it most of a millisecond.
struct PlannedProgram {
    Program program;  // all but the primitive
    dnnl::matmul::primitive_desc plan;
};

PlannedProgram planProgram(const ProgramShape& shape, const ProgramKey& key,
                           const dnnl::memory::desc& weights) {
    Program program{.matmul = {},
                    .source = dnnlRows(key.rows, shape.in, dnnlType(shape.type)),
                    .weights = weights,
                    .bias = dnnlRows(1, shape.out, DataType::f32),
                    .gate = dnnlRows(1, shape.out, DataType::f32),
                    .destination = dnnlRows(key.rows, shape.out, dnnlType(key.output)),
                    .scratch = {}};
    dnnl::post_ops after;
    if (const auto activation = dnnlActivation(key.activation))
        appendDnnlActivation(after, *activation);
    program.gatePosition = after.len();
    if (key.gate)
        after.append_binary(dnnl::algorithm::binary_mul, program.gate);
    if (key.add)
        after.append_sum(1.0F);
    const dnnl::matmul::primitive_desc plan =
        planDnnlProduct({.source = program.source,
                         .weights = program.weights,
                         .destination = program.destination,
                         .bias = shape.bias ? std::optional(program.bias) : std::nullopt,
                         .after = after});
    program.weights = plan.weights_desc();
    program.scratch = plan.scratchpad_desc();
    return {.program = std::move(program), .plan = plan};
}

Program makeProgram(const ProgramShape& shape, const ProgramKey& key, const dnnl::memory::desc& weights) {
    PlannedProgram planned = planProgram(shape, key, weights);
    planned.program.matmul = dnnl::matmul(planned.plan);
    return planned.program;
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
    return planProgram(shape, {.rows = blockRows}, any).program.weights;
}

class DnnlLinear : public HostLinear {
  public:
    DnnlLinear(std::int64_t in, const ProgramShape& shape, Tensor packed, Tensor bias)
        : m_in(in),
          m_shape(shape),
          m_weights(weightsLayout(shape)),
          m_packed(std::move(packed)),
          m_bias(std::move(bias)) {}

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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

    static constexpr std::size_t mostOperands = 6;

    void run(const Program& program, const MatrixView& source, const MatrixSpan& destination,
             std::span<const float> gate, ScratchBuffer& scratch) const {
        auto* library = scratch.take<std::byte>(static_cast<std::int64_t>(program.scratch.get_size()));
        ScratchVector<DnnlOperand> operands;
        operands.reserve(mostOperands);
        operands.push_back({DNNL_ARG_SRC, program.source, source.data()});
        operands.push_back({DNNL_ARG_WEIGHTS, program.weights, m_packed.raw()});
        operands.push_back({DNNL_ARG_DST, program.destination, destination.data()});
        operands.push_back({DNNL_ARG_SCRATCHPAD, program.scratch, library});
        if (m_shape.bias)
            operands.push_back({DNNL_ARG_BIAS, program.bias, m_bias.raw()});
        if (!gate.empty())
            operands.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(program.gatePosition) | DNNL_ARG_SRC_1,
                                program.gate, gate.data()});
        runDnnl(program.matmul, operands);
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

std::unique_ptr<HostLinear> makeDnnlLinear(const Tensor& weight, Tensor bias) {
    const std::int64_t out = weight.extent(0);
    const std::int64_t in = weight.extent(1);
    const ProgramShape shape = shapeOf(out, in, weight.dtype(), bias.elements() > 0);
    const dnnl::memory::desc layout = weightsLayout(shape);
    Tensor packed = Tensor::empty({static_cast<std::int64_t>(layout.get_size())}, DType::U8);
    packDnnlWeights(weight.raw(), out, in, layout, packed.raw());
    return std::make_unique<DnnlLinear>(in, shape, std::move(packed), std::move(bias));
}

std::unique_ptr<HostLinear> dnnlLinearFromParts(const PackedForm& form) {
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

namespace {

constexpr std::int64_t streamedBlockRows = 512;  // of x, reordered at once
constexpr std::int64_t blockOutputs = 128;       // rows of the weight, which fit the second-level cache
constexpr std::int64_t granule = 16;             // fewer rows or outputs are filled up with zeros

std::int64_t filledUp(std::int64_t count) {
    return (count + granule - 1) / granule * granule;
}

/// f32 [outputs, rows] = weight [outputs, in] · xᵀ, both bf16. Compiled at the first run.
class Product {
  public:
    Product(std::int64_t outputs, std::int64_t rows, std::int64_t in, const dnnl::memory::desc& inputs)
        : m_weights(dnnlRows(outputs, in, DataType::bf16)),
          m_sums(dnnlRows(outputs, rows, DataType::f32)),
          m_plan(planDnnlProduct({.source = m_weights, .weights = inputs, .destination = m_sums})),
          m_inputs(m_plan.weights_desc()),
          m_scratch(m_plan.scratchpad_desc()) {}

    [[nodiscard]] const dnnl::memory::desc& inputs() const { return m_inputs; }

    void run(const void* weights, const void* inputs, float* sums, ScratchBuffer& scratch) {
        if (!m_matmul)
            m_matmul = dnnl::matmul(m_plan);
        auto* library = scratch.take<std::byte>(static_cast<std::int64_t>(m_scratch.get_size()));
        runDnnl(m_matmul, std::array{DnnlOperand{DNNL_ARG_SRC, m_weights, weights},
                                     DnnlOperand{DNNL_ARG_WEIGHTS, m_inputs, inputs},
                                     DnnlOperand{DNNL_ARG_DST, m_sums, sums},
                                     DnnlOperand{DNNL_ARG_SCRATCHPAD, m_scratch, library}});
    }

  private:
    dnnl::memory::desc m_weights, m_sums;
    dnnl::matmul::primitive_desc m_plan;
    dnnl::memory::desc m_inputs, m_scratch;
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

class DnnlStreamedLinear : public HostLinear {
  public:
    DnnlStreamedLinear(Tensor weight, Tensor bias) : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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
        Product whole(blockOutputs, rows, in, any);
        auto* inputs =
            scratch.reordered.take<std::byte>(static_cast<std::int64_t>(whole.inputs().get_size()));
        packDnnlWeights(scratch.inputs.fill(x, rows, in, DType::BF16).data(), rows, in, whole.inputs(),
                        inputs);
        for (std::int64_t first = outputs.first; first < outputs.end; first += blockOutputs) {
            const std::int64_t count = std::min(blockOutputs, outputs.end - first);
            const MatrixSpan columns = y.columns(first - outputs.first, count);
            const LinearEpilogue part =
                epilogue.columns(first - outputs.first, first - outputs.first + count);
            const auto finish = [&](Product& product, std::int64_t height) {
                float* sums = scratch.sums.take<float>(height * rows);
                const MatrixView weights =
                    scratch.weights.fill(MatrixView(m_weight).slice(first, count), height, in, DType::BF16);
                product.run(weights.data(), inputs, sums, scratch.library);
                const LinearProducts products{.values = scratch.products.take<float>(x.rows() * count),
                                              .stride = count};
                transpose(sums, rows, sliceBias(first, count), products, x.rows(), count);
                finishLinear(part, products, columns);
            };
            if (count == blockOutputs) {
                finish(whole, blockOutputs);
            } else {
                Product last(filledUp(count), rows, in, whole.inputs());
                finish(last, filledUp(count));
            }
        }
    }

    [[nodiscard]] std::span<const float> sliceBias(std::int64_t first, std::int64_t count) const {
        if (m_bias.elements() == 0)
            return {};
        return m_bias.data<float>().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    }

    Tensor m_weight;  // bf16 [out, in]
    Tensor m_bias;    // f32 [out], or no elements
};

}  // namespace

std::unique_ptr<HostLinear> makeDnnlStreamedLinear(Tensor weight, Tensor bias) {
    return std::make_unique<DnnlStreamedLinear>(std::move(weight), std::move(bias));
}

namespace {

// Rows and output features whose int32 sums stay in a second-level cache until they are scaled.
constexpr std::int64_t int8BlockRows = 256;
constexpr std::int64_t panelOutputs = 1024;
constexpr std::int64_t panelAlignment = 64;

// Inputs are given to the instructions as u8 = s8 + 128: dot products of unsigned by signed bytes exist
// everywhere, of signed by signed only in AMX. What that adds to a sum, 128·Σ weights, is taken off again.
constexpr int inputOffset = 128;

/// A product of one shape: u8 [rows, in] · s8 [in, out] → s32.
struct Int8Program {
    std::int64_t rows = 0;
    std::int64_t out = 0;
    dnnl::matmul matmul;
    dnnl::memory::desc source, weights, destination, scratch;
};

dnnl::matmul::primitive_desc planInt8Product(std::int64_t rows, std::int64_t out, std::int64_t in,
                                             const dnnl::memory::desc& weights) {
    return planDnnlProduct({.source = dnnlRows(rows, in, DataType::u8),
                            .weights = weights,
                            .destination = dnnlRows(rows, out, DataType::s32)});
}

Int8Program makeInt8Program(std::int64_t rows, std::int64_t out, std::int64_t in,
                            const dnnl::memory::desc& weights) {
    const dnnl::matmul::primitive_desc plan = planInt8Product(rows, out, in, weights);
    return {.rows = rows,
            .out = out,
            .matmul = dnnl::matmul(plan),
            .source = plan.src_desc(),
            .weights = plan.weights_desc(),
            .destination = plan.dst_desc(),
            .scratch = plan.scratchpad_desc()};
}

dnnl::memory::desc int8WeightsLayout(std::int64_t out, std::int64_t paddedIn) {
    const dnnl::memory::desc any({paddedIn, out}, DataType::s8, dnnl::memory::format_tag::any);
    return planInt8Product(int8BlockRows, out, paddedIn, any).weights_desc();
}

/// Output features [first, end), whose packed bytes begin at `offset`.
struct Panel {
    OutputRange outputs;
    std::int64_t offset = 0;
    dnnl::memory::desc weights;
};

struct PanelLayout {
    std::vector<Panel> panels;
    std::int64_t bytes = 0;
};

PanelLayout layPanels(std::int64_t out, std::int64_t paddedIn) {
    PanelLayout layout;
    for (std::int64_t first = 0; first < out; first += panelOutputs) {
        const OutputRange outputs{.first = first, .end = std::min(out, first + panelOutputs)};
        const bool another = layout.panels.empty() || outputs.size() != panelOutputs;
        layout.panels.push_back({.outputs = outputs,
                                 .offset = layout.bytes,
                                 .weights = another ? int8WeightsLayout(outputs.size(), paddedIn)
                                                    : layout.panels.back().weights});
        const auto size = static_cast<std::int64_t>(layout.panels.back().weights.get_size());
        layout.bytes += (size + panelAlignment - 1) / panelAlignment * panelAlignment;
    }
    return layout;
}

struct Parts {
    Tensor packed;        // the bytes of the panels
    Tensor bias;          // f32 [out], or no elements
    Tensor scales;        // f32 [out]
    Tensor compensation;  // i32 [out]: what inputOffset adds to the sums
};

class DnnlInt8Linear : public HostLinear {
  public:
    DnnlInt8Linear(std::int64_t out, std::int64_t in, Parts parts)
        : m_out(out),
          m_in(in),
          m_paddedIn(paddedWidth(in, std::int64_t{1})),
          m_layout(layPanels(out, m_paddedIn)),
          m_parts(std::move(parts)) {}

    void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                   OutputRange) const override {
        Scratch scratch;
        for (std::int64_t row = 0; row < x.rows(); row += int8BlockRows) {
            const std::int64_t count = std::min(int8BlockRows, x.rows() - row);
            const std::int64_t rows = (count + rowGranule - 1) / rowGranule * rowGranule;
            roundInputs(x.slice(row, count), rows, scratch);
            for (const Panel& panel : m_layout.panels)
                applyPanel(panel, rows, y.slice(row, count), epilogue, scratch);
        }
    }

    [[nodiscard]] bool splitsOutputs() const override { return false; }
    [[nodiscard]] std::string format() const override { return dnnlInt8LinearFormat(m_out, m_in); }
    [[nodiscard]] std::vector<Tensor> parts() const override {
        return {m_parts.packed, m_parts.bias, m_parts.scales, m_parts.compensation};
    }

  private:
    struct Scratch {
        ScratchBuffer inputs;  // u8 [rows, paddedIn]
        ScratchVector<float> inputScales;
        ScratchBuffer sums;  // s32 [rows, panelOutputs]
        ScratchBuffer library;
    };

    void roundInputs(const MatrixView& x, std::int64_t rows, Scratch& scratch) const {
        auto* inputs = scratch.inputs.take<std::uint8_t>(rows * m_paddedIn);
        scratch.inputScales.assign(static_cast<std::size_t>(rows), 0.0F);
        ScratchVector<float> values(static_cast<std::size_t>(m_in));
        ScratchVector<std::int8_t> rounded(values.size());
        std::fill_n(inputs, rows * m_paddedIn, std::uint8_t{inputOffset});
        for (std::int64_t row = 0; row < x.rows(); ++row) {
            const std::span<const float> given = x.dtype() == DType::F32 ? x.row<float>(row) : values;
            if (x.dtype() != DType::F32)
                x.readRow(row, values);
            scratch.inputScales[static_cast<std::size_t>(row)] = roundToInt8(given, rounded);
            std::ranges::transform(rounded, inputs + row * m_paddedIn, [](std::int8_t value) {
                return static_cast<std::uint8_t>(value + inputOffset);
            });
        }
    }

    void applyPanel(const Panel& panel, std::int64_t rows, const MatrixSpan& y,
                    const LinearEpilogue& epilogue, Scratch& scratch) const {
        const std::int64_t width = panel.outputs.size();
        auto* sums = scratch.sums.take<std::int32_t>(rows * panelOutputs);
        multiply(panel, rows, scratch, sums);
        const MatrixSpan outputs = y.columns(panel.outputs.first, width);
        const LinearEpilogue finish = epilogue.columns(panel.outputs.first, panel.outputs.end);
        std::array<float, panelOutputs> products;
        for (std::int64_t row = 0; row < y.rows(); ++row) {
            scale(panel.outputs, sums + row * width, scratch.inputScales[static_cast<std::size_t>(row)],
                  products.data());
            finishLinear(finish, {.values = products.data(), .stride = width}, outputs.slice(row, 1));
        }
    }

    void multiply(const Panel& panel, std::int64_t rows, Scratch& scratch, std::int32_t* sums) const {
        const Int8Program program = this->program(rows, panel);
        auto* library =
            scratch.library.take<std::byte>(static_cast<std::int64_t>(program.scratch.get_size()));
        const auto* inputs = scratch.inputs.take<std::uint8_t>(rows * m_paddedIn);
        const std::byte* weights = m_parts.packed.raw() + panel.offset;
        runDnnl(program.matmul, std::array{DnnlOperand{DNNL_ARG_SRC, program.source, inputs},
                                           DnnlOperand{DNNL_ARG_WEIGHTS, program.weights, weights},
                                           DnnlOperand{DNNL_ARG_DST, program.destination, sums},
                                           DnnlOperand{DNNL_ARG_SCRATCHPAD, program.scratch, library}});
    }

    void scale(OutputRange outputs, const std::int32_t* sums, float inputScale, float* products) const {
        const float* scales = m_parts.scales.data<float>().data() + outputs.first;
        const std::int32_t* compensation = m_parts.compensation.data<std::int32_t>().data() + outputs.first;
        for (std::int64_t i = 0; i < outputs.size(); ++i)
            products[i] = static_cast<float>(sums[i] - compensation[i]) * (scales[i] * inputScale);
        if (m_parts.bias.elements() == 0)
            return;
        const float* bias = m_parts.bias.data<float>().data() + outputs.first;
        for (std::int64_t i = 0; i < outputs.size(); ++i)
            products[i] += bias[i];
    }

    Int8Program program(std::int64_t rows, const Panel& panel) const {
        const std::lock_guard lock(m_mutex);
        const auto found = std::ranges::find_if(m_programs, [&](const Int8Program& program) {
            return program.rows == rows && program.out == panel.outputs.size();
        });
        if (found != m_programs.end())
            return *found;
        if (m_programs.size() == keptPrograms)
            m_programs.erase(m_programs.begin());
        return m_programs.emplace_back(
            makeInt8Program(rows, panel.outputs.size(), m_paddedIn, panel.weights));
    }

    std::int64_t m_out;
    std::int64_t m_in;
    std::int64_t m_paddedIn;
    PanelLayout m_layout;
    Parts m_parts;
    mutable std::mutex m_mutex;
    mutable std::vector<Int8Program> m_programs;
};

}  // namespace

std::unique_ptr<HostLinear> makeDnnlInt8Linear(const Int8Weight& weight, Tensor bias) {
    const std::int64_t out = weight.values.extent(0);
    const std::int64_t in = weight.values.extent(1);
    const PanelLayout layout = layPanels(out, paddedWidth(in, std::int64_t{1}));
    Parts parts{.packed = Tensor::zeros({layout.bytes}, DType::U8),
                .bias = std::move(bias),
                .scales = weight.scales,
                .compensation = Tensor::empty({out}, DType::I32)};
    for (const Panel& panel : layout.panels)
        packDnnlWeights(weight.row(panel.outputs.first).data(), panel.outputs.size(), in, panel.weights,
                        parts.packed.raw() + panel.offset);
    for (std::int64_t row = 0; row < out; ++row) {
        std::int32_t sum = 0;
        for (const std::int8_t value : weight.row(row))
            sum += value;
        parts.compensation.data<std::int32_t>()[static_cast<std::size_t>(row)] = inputOffset * sum;
    }
    return std::make_unique<DnnlInt8Linear>(out, in, std::move(parts));
}

std::unique_ptr<HostLinear> dnnlInt8LinearFromParts(const PackedForm& form) {
    const auto out = static_cast<std::size_t>(form.outFeatures);
    requireParts(form, {static_cast<std::size_t>(
                            layPanels(form.outFeatures, paddedWidth(form.inFeatures, std::int64_t{1})).bytes),
                        biasPart, out * sizeof(float), out * sizeof(std::int32_t)});
    return std::make_unique<DnnlInt8Linear>(form.outFeatures, form.inFeatures,
                                            Parts{.packed = form.parts[0],
                                                  .bias = form.parts[1],
                                                  .scales = form.parts[2],
                                                  .compensation = form.parts[3]});
}

std::string dnnlInt8LinearFormat(std::int64_t out, std::int64_t in) {
    const PanelLayout layout = layPanels(out, paddedWidth(in, std::int64_t{1}));
    return fmt::format("{} int8 {}, then {}", dnnlVersion(), dnnlLayoutText(layout.panels.front().weights),
                       dnnlLayoutText(layout.panels.back().weights));
}

}  // namespace meshreel
