// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/rife.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/pixels/resample.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

constexpr float rifeSlope = 0.2F;  // of all activations
constexpr std::int64_t rifeColours = 3;
constexpr std::size_t residualsOfBlock = 8;
constexpr std::int64_t flowNumbers = RifeForm::flowChannels;

/// NAME.conv times NAME.beta, which holds a factor for each output: lrelu(conv(x) · beta + x) needs no more.
PackedConvolution readResidual(const NetworkTensors& tensors, const std::string& name, std::int64_t width,
                               const NetworkMemory& where) {
    constexpr std::int64_t side = 3;
    const Tensor weight = tensors.get(name + ".conv.weight", {width, width, side, side});
    const Tensor bias = tensors.get(name + ".conv.bias", {width});
    const Tensor beta = tensors.get(name + ".beta", {1, width, 1, 1});
    Tensor scaledWeight = Tensor::empty(weight.shape());
    Tensor scaledBias = Tensor::empty(bias.shape());
    const std::int64_t length = width * side * side;
    for (std::int64_t out = 0; out < width; ++out) {
        const auto place = static_cast<std::size_t>(out);
        const float factor = beta.data<float>()[place];
        scaledBias.data<float>()[place] = bias.data<float>()[place] * factor;
        const auto row = weight.data<float>().subspan(place * static_cast<std::size_t>(length),
                                                      static_cast<std::size_t>(length));
        std::ranges::transform(row, scaledWeight.data<float>().data() + out * length,
                               [factor](float value) { return value * factor; });
    }
    return PackedConvolution::pack(scaledWeight, scaledBias, sameSizeBy3, where.arithmetic, where.memory);
}

std::vector<PackedConvolution> readHead(const NetworkTensors& tensors, const RifeLayout& layout,
                                        const NetworkMemory& where) {
    std::vector<PackedConvolution> head;
    const std::int64_t width = layout.headWidth;
    switch (layout.form->head) {
        case RifeHead::None:
            break;
        case RifeHead::Plain:
            head.push_back(readConvolution(tensors, "encode.0", rifeColours, width, halvedBy3, where));
            head.push_back(
                readConvolution(tensors, "encode.1", width, layout.form->features, transposedBy2, where));
            break;
        case RifeHead::Deep:
            head.push_back(readConvolution(tensors, "encode.cnn0", rifeColours, width, halvedBy3, where));
            head.push_back(readConvolution(tensors, "encode.cnn1", width, width, sameSizeBy3, where));
            head.push_back(readConvolution(tensors, "encode.cnn2", width, width, sameSizeBy3, where));
            head.push_back(
                readConvolution(tensors, "encode.cnn3", width, layout.form->features, transposedBy2, where));
            break;
    }
    return head;
}

/// [height, width, 3] with zeros right and below.
Tensor paddedColours(const Tensor& picture, std::int64_t height, std::int64_t width) {
    Tensor padded = Tensor::zeros({height * width, rifeColours});
    const std::int64_t line = picture.extent(1) * rifeColours;
    for (std::int64_t row = 0; row < picture.extent(0); ++row)
        std::copy_n(picture.data<float>().data() + row * line, line,
                    padded.data<float>().data() + row * width * rifeColours);
    return padded;
}

}  // namespace

/// What the blocks work on, all of the padded frames' size.
struct Rife::State {
    const Frame& one;
    const Frame& other;
    Tensor stack;  ///< what a block takes but for the flow: frames, features, time, mask, what was handed on
    Tensor flow;   ///< from the new frame to `one`, then to `other`: columns and rows
    Tensor mask;
    Tensor change = {};  ///< of the flow
    Tensor maskChange = {};

    [[nodiscard]] PictureView view(const MatrixView& pixels) const { return {pixels, one.height, one.width}; }
    [[nodiscard]] PictureSpan span(const MatrixSpan& pixels) const { return {pixels, one.height, one.width}; }
    /// Columns of the stack.
    [[nodiscard]] PictureSpan columns(std::int64_t first, std::int64_t count) {
        return span(MatrixSpan(stack).columns(first, count));
    }
};

Rife::Rife(const NetworkTensors& tensors, const NetworkMemory& where)
    : m_layout(rifeLayout(tensors)), m_head(readHead(tensors, m_layout, where)) {
    for (std::size_t index = 0; index < m_layout.widths.size(); ++index)
        m_blocks.push_back(readBlock(tensors, m_layout, index, where));
}

Rife::Block Rife::readBlock(const NetworkTensors& tensors, const RifeLayout& layout, std::size_t index,
                            const NetworkMemory& where) {
    const std::string name = fmt::format("block{}.", index);
    const std::int64_t ins = index == 0 ? layout.form->firstIns() : layout.form->ins();
    const std::int64_t width = layout.widths[index];
    std::vector<PackedConvolution> residuals;
    for (std::size_t residual = 0; residual < residualsOfBlock; ++residual)
        residuals.push_back(
            readResidual(tensors, fmt::format("{}convblock.{}", name, residual), width, where));
    return {.first = readConvolution(tensors, name + "conv0.0.0", ins, width / 2, halvedBy3, where),
            .second = readConvolution(tensors, name + "conv0.1.0", width / 2, width, halvedBy3, where),
            .residuals = std::move(residuals),
            .last = readConvolution(tensors, name + "lastconv.0", width, 4 * layout.form->outs, transposedBy2,
                                    where),
            .ins = ins,
            .width = width};
}

std::size_t Rife::bytes() const {
    std::size_t total = 0;
    for (const PackedConvolution& convolution : m_head)
        total += convolution.bytes();
    for (const Block& block : m_blocks) {
        total += block.first.bytes() + block.second.bytes() + block.last.bytes();
        for (const PackedConvolution& residual : block.residuals)
            total += residual.bytes();
    }
    return total;
}

Rife::Frame Rife::prepare(const Execution& execution, const Tensor& picture) const {
    const Shape& shape = picture.shape();
    if (shape.rank() != 3 || shape[2] != rifeColours || picture.elements() == 0)
        throw Error(ErrorKind::Internal, "RIFE got a frame of the shape " + shape.text());
    Frame frame{.pixels = {},
                .features = {},
                .height = roundUp(shape[0], m_layout.form->grid()),
                .width = roundUp(shape[1], m_layout.form->grid())};
    frame.pixels = paddedColours(picture, frame.height, frame.width).in(execution.memory());
    if (!m_head.empty())
        frame.features = features(execution, frame.pixels, frame.height, frame.width);
    return frame;
}

/// The first convolution halves the frame, the last doubles it again.
Tensor Rife::features(const Execution& execution, const Tensor& pixels, std::int64_t height,
                      std::int64_t width) const {
    const std::int64_t half = height / 2 * (width / 2);
    const bool activates = m_layout.form->head == RifeHead::Deep;
    Tensor hidden = emptyPicture(execution, half, m_layout.headWidth);
    convolvePicture(execution, m_head.front(), MatrixView(pixels), height, width, MatrixSpan(hidden));
    for (std::size_t index = 1; index + 1 < m_head.size(); ++index) {
        leakyRectify(execution, MatrixSpan(hidden), rifeSlope);
        Tensor next = emptyPicture(execution, half, m_layout.headWidth);
        convolvePicture(execution, m_head[index], MatrixView(hidden), height / 2, width / 2,
                        MatrixSpan(next));
        hidden = std::move(next);
    }
    if (activates)
        leakyRectify(execution, MatrixSpan(hidden), rifeSlope);
    Tensor made = emptyPicture(execution, height * width, m_layout.form->features);
    convolvePicture(execution, m_head.back(), MatrixView(hidden), height / 2, width / 2, MatrixSpan(made));
    return made;
}

/// What a block makes of its input [height · width, ins], in its size: [height · width, outs].
Tensor Rife::applyBlock(const Execution& execution, const Block& block, const Tensor& input,
                        std::int64_t height, std::int64_t width) const {
    Tensor half = emptyPicture(execution, height / 2 * (width / 2), block.width / 2);
    convolvePicture(execution, block.first, MatrixView(input), height, width, MatrixSpan(half));
    leakyRectify(execution, MatrixSpan(half), rifeSlope);
    const std::int64_t rows = height / 4;
    const std::int64_t columns = width / 4;
    Tensor hidden = emptyPicture(execution, rows * columns, block.width);
    convolvePicture(execution, block.second, MatrixView(half), height / 2, width / 2, MatrixSpan(hidden));
    leakyRectify(execution, MatrixSpan(hidden), rifeSlope);
    Tensor next = emptyPicture(execution, rows * columns, block.width);
    for (const PackedConvolution& residual : block.residuals) {
        convolvePicture(execution, residual, MatrixView(hidden), rows, columns, MatrixSpan(next));
        addAndLeakyRectify(execution, MatrixSpan(next), MatrixView(hidden), rifeSlope);
        std::swap(hidden, next);
    }
    Tensor squares = emptyPicture(execution, 4 * rows * columns, 4 * m_layout.form->outs);
    convolvePicture(execution, block.last, MatrixView(hidden), rows, columns, MatrixSpan(squares));
    Tensor made = emptyPicture(execution, height * width, m_layout.form->outs);
    unfoldPixels(execution, {MatrixView(squares), 2 * rows, 2 * columns}, 2,
                 {MatrixSpan(made), height, width});
    return made;
}

/// Puts both frames and their features into the stack, as they are or as the flow moves them.
void Rife::showFrames(const Execution& execution, State& state, bool warped) const {
    const std::int64_t featureCount = m_layout.form->features;
    const auto show = [&](const Tensor& from, std::int64_t firstOfFlow, std::int64_t firstColumn) {
        const PictureSpan into = state.columns(firstColumn, from.extent(1));
        if (warped)
            warpPicture(execution, state.view(MatrixView(from)),
                        MatrixView(state.flow).columns(firstOfFlow, 2), into);
        else
            copyRows(execution, into.pixels, MatrixView(from));
    };
    show(state.one.pixels, 0, 0);
    show(state.other.pixels, 2, rifeColours);
    if (featureCount > 0) {
        show(state.one.features, 0, 2 * rifeColours);
        show(state.other.features, 2, 2 * rifeColours + featureCount);
    }
}

/// One block: scales its input down, and adds what it makes, scaled up again.
void Rife::refine(const Execution& execution, std::size_t index, State& state) const {
    const RifeForm& form = *m_layout.form;
    const Block& block = m_blocks[index];
    const std::int64_t scale = form.scales[index];
    const std::int64_t height = state.one.height / scale;
    const std::int64_t width = state.one.width / scale;
    const bool isFirst = index == 0;
    const std::int64_t stacked = isFirst ? block.ins : block.ins - flowNumbers;
    Tensor input = emptyPicture(execution, height * width, block.ins);
    resizePicture(execution, state.view(MatrixView(state.stack).columns(0, stacked)),
                  {MatrixSpan(input).columns(0, stacked), height, width});
    if (!isFirst)
        resizePicture(execution, state.view(MatrixView(state.flow)),
                      {MatrixSpan(input).columns(stacked, flowNumbers), height, width},
                      1.0F / static_cast<float>(scale));
    const Tensor made = applyBlock(execution, block, input, height, width);
    const PictureView numbers{MatrixView(made), height, width};
    const auto part = [&](std::int64_t first, std::int64_t count) {
        return PictureView{numbers.pixels.columns(first, count), height, width};
    };

    Tensor& flow = isFirst ? state.flow : state.change;
    resizePicture(execution, part(0, flowNumbers), state.span(MatrixSpan(flow)), static_cast<float>(scale));
    if (!isFirst)
        addRows(execution, MatrixSpan(state.flow), MatrixView(state.change));

    const bool adds = form.addsMask && !isFirst;
    Tensor& mask = adds ? state.maskChange : state.mask;
    resizePicture(execution, part(flowNumbers, 1), state.span(MatrixSpan(mask)));
    if (adds)
        addRows(execution, MatrixSpan(state.mask), MatrixView(state.maskChange));

    if (index + 1 == m_blocks.size())
        return;
    copyRows(execution, state.columns(form.firstIns(), 1).pixels, MatrixView(state.mask));
    if (form.handedOn() > 0)
        resizePicture(execution, part(flowNumbers + 1, form.handedOn()),
                      state.columns(form.firstIns() + 1, form.handedOn()));
    showFrames(execution, state, true);
}

Tensor Rife::between(const Execution& execution, const Frame& one, const Frame& other, float time,
                     std::int64_t height, std::int64_t width, const Probe& probe) const {
    if (one.height != other.height || one.width != other.width || height > one.height || width > one.width)
        throw Error(ErrorKind::Internal, "RIFE got two frames that were prepared for other sizes");
    const RifeForm& form = *m_layout.form;
    const std::int64_t pixels = one.height * one.width;
    State state{.one = one,
                .other = other,
                .stack = emptyPicture(execution, pixels, form.ins() - flowNumbers),
                .flow = emptyPicture(execution, pixels, flowNumbers),
                .mask = emptyPicture(execution, pixels, 1),
                .change = emptyPicture(execution, pixels, flowNumbers)};
    if (form.addsMask)
        state.maskChange = emptyPicture(execution, pixels, 1);
    showFrames(execution, state, false);
    const Tensor times = Tensor::filled({pixels, 1}, time).in(execution.memory());
    copyRows(execution, state.columns(form.firstIns() - 1, 1).pixels, MatrixView(times));
    for (std::size_t index = 0; index < m_blocks.size(); ++index)
        refine(execution, index, state);
    if (probe) {
        probe("flow", state.flow.host());
        probe("mask", state.mask.host());
    }
    Tensor first = emptyPicture(execution, pixels, rifeColours);
    Tensor second = emptyPicture(execution, pixels, rifeColours);
    warpPicture(execution, state.view(MatrixView(one.pixels)), MatrixView(state.flow).columns(0, 2),
                state.span(MatrixSpan(first)));
    warpPicture(execution, state.view(MatrixView(other.pixels)), MatrixView(state.flow).columns(2, 2),
                state.span(MatrixSpan(second)));
    Tensor blended = emptyPicture(execution, pixels, rifeColours);
    blendBySigmoid(execution, MatrixView(first), MatrixView(second), MatrixView(state.mask),
                   MatrixSpan(blended));
    const Tensor found = blended.host();
    Tensor result = Tensor::empty({height, width, rifeColours});
    for (std::int64_t row = 0; row < height; ++row)
        std::copy_n(found.data<float>().data() + row * one.width * rifeColours, width * rifeColours,
                    result.data<float>().data() + row * width * rifeColours);
    return result;
}

}  // namespace meshreel
