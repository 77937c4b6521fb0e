// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "engine/kernels/attention/padded_width.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/dnnl_linear.h"
#include "engine/kernels/linear/dnnl_weights.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

namespace {

using DataType = dnnl::memory::data_type;

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

Int8Program makeInt8Program(std::int64_t rows, std::int64_t out, std::int64_t in, const dnnl::memory::desc& weights) {
    Int8Program program{.rows = rows,
                    .out = out,
                    .matmul = {},
                    .source = dnnlRows(rows, in, DataType::u8),
                    .weights = weights,
                    .destination = dnnlRows(rows, out, DataType::s32),
                    .scratch = {}};
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::primitive_desc made({program.source, program.weights, program.destination},
                                            attributes, dnnlEngine());
    program.weights = made.weights_desc();
    program.scratch = made.scratchpad_desc();
    program.matmul = dnnl::matmul(made);
    return program;
}

dnnl::memory::desc int8WeightsLayout(std::int64_t out, std::int64_t paddedIn) {
    const dnnl::memory::desc any({paddedIn, out}, DataType::s8, dnnl::memory::format_tag::any);
    return makeInt8Program(int8BlockRows, out, paddedIn, any).weights;
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
        layout.panels.push_back(
            {.outputs = outputs,
             .offset = layout.bytes,
             .weights = another ? int8WeightsLayout(outputs.size(), paddedIn) : layout.panels.back().weights});
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

class DnnlInt8Linear : public LinearKernel {
  public:
    DnnlInt8Linear(std::int64_t out, std::int64_t in, Parts parts)
        : m_out(out),
          m_in(in),
          m_paddedIn(paddedWidth(in, std::int64_t{1})),
          m_layout(layPanels(out, m_paddedIn)),
          m_parts(std::move(parts)) {}

    void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
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
        std::vector<float> inputScales;
        ScratchBuffer sums;  // s32 [rows, panelOutputs]
        ScratchBuffer library;
    };

    void roundInputs(const MatrixView& x, std::int64_t rows, Scratch& scratch) const {
        auto* inputs = scratch.inputs.take<std::uint8_t>(rows * m_paddedIn);
        scratch.inputScales.assign(static_cast<std::size_t>(rows), 0.0F);
        std::vector<float> values(static_cast<std::size_t>(m_in));
        std::vector<std::int8_t> rounded(values.size());
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
        program.matmul.execute(
            dnnlStream(),
            {{DNNL_ARG_SRC, dnnlMemory(program.source, scratch.inputs.take<std::uint8_t>(rows * m_paddedIn))},
             {DNNL_ARG_WEIGHTS, dnnlMemory(program.weights, m_parts.packed.raw() + panel.offset)},
             {DNNL_ARG_DST, dnnlMemory(program.destination, sums)},
             {DNNL_ARG_SCRATCHPAD, dnnlMemory(program.scratch, library)}});
        dnnlStream().wait();
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
        return m_programs.emplace_back(makeInt8Program(rows, panel.outputs.size(), m_paddedIn, panel.weights));
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

std::unique_ptr<LinearKernel> makeDnnlInt8Linear(const Int8Weight& weight, Tensor bias) {
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

std::unique_ptr<LinearKernel> dnnlInt8LinearFromParts(const PackedForm& form) {
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
