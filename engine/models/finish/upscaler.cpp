// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/upscaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/pixels/resample.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

constexpr std::int64_t upscalerColours = 3;
constexpr float denseSlope = 0.2F;  // of all activations of a dense network
constexpr float denseShare = 0.2F;  // of what a dense block, and an RRDB, adds to what comes in
constexpr std::int64_t densesOfBlock = 3;
constexpr std::int64_t convolutionsOfDense = 5;

/// Squares of `folded` × `folded` pixels as channels, [height/folded · width/folded, 3 · folded²]: torch's
/// pixel_unshuffle.
Tensor foldedPixels(const Tensor& picture, std::int64_t folded, std::int64_t height, std::int64_t width) {
    Tensor result = Tensor::empty({height * width, upscalerColours * folded * folded});
    const std::int64_t lastLine = picture.extent(0) - 1;
    const std::int64_t lastColumn = picture.extent(1) - 1;
    const float* const from = picture.data<float>().data();
    float* to = result.data<float>().data();
    for (std::int64_t line = 0; line < height; ++line)
        for (std::int64_t column = 0; column < width; ++column)
            for (std::int64_t colour = 0; colour < upscalerColours; ++colour)
                for (std::int64_t y = 0; y < folded; ++y)
                    for (std::int64_t x = 0; x < folded; ++x) {
                        const std::int64_t sourceLine = std::min(line * folded + y, lastLine);
                        const std::int64_t sourceColumn = std::min(column * folded + x, lastColumn);
                        *to++ =
                            from[(sourceLine * (lastColumn + 1) + sourceColumn) * upscalerColours + colour];
                    }
    return result;
}

/// The first lines and columns of a picture that has `stride` pixels in a line.
Tensor croppedPicture(const Tensor& pixels, std::int64_t stride, std::int64_t height, std::int64_t width) {
    Tensor result = Tensor::empty({height, width, upscalerColours});
    for (std::int64_t line = 0; line < height; ++line)
        std::copy_n(pixels.data<float>().data() + line * stride * upscalerColours, width * upscalerColours,
                    result.data<float>().data() + line * width * upscalerColours);
    return result;
}

/// Adds the picture seen through nearest-neighbour enlargement.
void addEnlarged(const Tensor& picture, std::int64_t scale, Tensor& large) {
    const std::int64_t width = picture.extent(1);
    float* to = large.data<float>().data();
    for (std::int64_t line = 0; line < picture.extent(0) * scale; ++line)
        for (std::int64_t column = 0; column < width * scale; ++column) {
            const float* from =
                picture.data<float>().data() + (line / scale * width + column / scale) * upscalerColours;
            for (std::int64_t colour = 0; colour < upscalerColours; ++colour)
                *to++ += from[colour];
        }
}

}  // namespace

Upscaler::Upscaler(const NetworkTensors& tensors, const NetworkMemory& where)
    : m_layout(upscalerLayout(tensors)) {
    if (m_layout.kind == UpscalerKind::Dense)
        readDense(tensors, where);
    else
        readCompact(tensors, where);
}

void Upscaler::readDense(const NetworkTensors& tensors, const NetworkMemory& where) {
    const std::int64_t width = m_layout.width;
    const std::int64_t growth = m_layout.growth;
    m_chain.push_back(readConvolution(tensors, "conv_first",
                                      upscalerColours * m_layout.folded * m_layout.folded, width, sameSizeBy3,
                                      where));
    m_chain.push_back(readConvolution(tensors, "conv_body", width, width, sameSizeBy3, where));
    for (std::int64_t index = 0; index < m_layout.blocks * densesOfBlock; ++index) {
        const std::string name =
            fmt::format("body.{}.rdb{}.conv", index / densesOfBlock, index % densesOfBlock + 1);
        DenseBlock block;
        for (std::int64_t layer = 0; layer < convolutionsOfDense; ++layer) {
            const bool isLast = layer + 1 == convolutionsOfDense;
            block.convolutions.push_back(readConvolution(tensors, fmt::format("{}{}", name, layer + 1),
                                                         width + layer * growth, isLast ? width : growth,
                                                         sameSizeBy3, where, isLast ? denseShare : 1.0F));
        }
        m_blocks.push_back(std::move(block));
    }
    for (std::size_t index = 0; index < m_layout.tail.size(); ++index) {
        const bool doubles = static_cast<std::int64_t>(index) < m_layout.doublings();
        const bool isLast = index + 1 == m_layout.tail.size();
        m_tail.push_back(readConvolution(tensors, m_layout.tail[index], width,
                                         isLast ? upscalerColours : width, doubles ? doubledBy3 : sameSizeBy3,
                                         where));
    }
}

void Upscaler::readCompact(const NetworkTensors& tensors, const NetworkMemory& where) {
    const std::int64_t convolutions = m_layout.blocks + 2;
    for (std::int64_t index = 0; index < convolutions; ++index) {
        const bool isLast = index + 1 == convolutions;
        m_chain.push_back(readConvolution(
            tensors, fmt::format("body.{}", 2 * index), index == 0 ? upscalerColours : m_layout.width,
            isLast ? upscalerColours * m_layout.scale * m_layout.scale : m_layout.width, sameSizeBy3, where));
        if (isLast)
            continue;
        const Tensor slopes = tensors.get(fmt::format("body.{}.weight", 2 * index + 1), {m_layout.width});
        const std::span<const float> values = slopes.data<float>();
        m_slopes.emplace_back(values.begin(), values.end());
    }
}

std::size_t Upscaler::bytes() const {
    std::size_t total = 0;
    for (const PackedConvolution& convolution : m_chain)
        total += convolution.bytes();
    for (const DenseBlock& block : m_blocks)
        for (const PackedConvolution& convolution : block.convolutions)
            total += convolution.bytes();
    for (const PackedConvolution& convolution : m_tail)
        total += convolution.bytes();
    return total;
}

/// `rows` [pixels, width + 4 · growth] holds what comes in, in its first columns; afterwards `next` does, and
/// the two are exchanged.
void Upscaler::passBlock(const Execution& execution, const DenseBlock& block, Tensor& rows, Tensor& next,
                         std::int64_t height, std::int64_t width) const {
    const std::int64_t growth = m_layout.growth;
    for (std::int64_t layer = 0; layer + 1 < convolutionsOfDense; ++layer) {
        const std::int64_t made = m_layout.width + layer * growth;
        const MatrixSpan into = MatrixSpan(rows).columns(made, growth);
        convolvePicture(execution, block.convolutions[static_cast<std::size_t>(layer)],
                        MatrixView(rows).columns(0, made), height, width, into);
        leakyRectify(execution, into, denseSlope);
    }
    const MatrixSpan sum = MatrixSpan(next).columns(0, m_layout.width);
    copyRows(execution, sum, MatrixView(rows).columns(0, m_layout.width));
    convolvePicture(execution, block.convolutions.back(), MatrixView(rows), height, width, sum, true);
    std::swap(rows, next);
}

/// Adds what the blocks make of `shallow` to it.
void Upscaler::passBlocks(const Execution& execution, Tensor& shallow, std::int64_t height,
                          std::int64_t width) const {
    const std::int64_t channels = m_layout.width;
    const std::int64_t pixels = height * width;
    Tensor rows = emptyPicture(execution, pixels, channels + (convolutionsOfDense - 1) * m_layout.growth);
    Tensor next = emptyPicture(execution, pixels, rows.extent(1));
    Tensor before = emptyPicture(execution, pixels, channels);
    copyRows(execution, MatrixSpan(rows).columns(0, channels), MatrixView(shallow));
    for (std::size_t index = 0; index < m_blocks.size(); ++index) {
        const auto dense = static_cast<std::int64_t>(index) % densesOfBlock;
        if (dense == 0)
            copyRows(execution, MatrixSpan(before), MatrixView(rows).columns(0, channels));
        passBlock(execution, m_blocks[index], rows, next, height, width);
        if (dense + 1 == densesOfBlock)
            scaleAndAdd(execution, MatrixSpan(rows).columns(0, channels), MatrixView(before), denseShare);
    }
    convolvePicture(execution, m_chain[1], MatrixView(rows).columns(0, channels), height, width,
                    MatrixSpan(shallow), true);
}

Tensor Upscaler::applyDense(const Execution& execution, const Tensor& pixels, std::int64_t height,
                            std::int64_t width) const {
    Tensor features = emptyPicture(execution, height * width, m_layout.width);
    convolvePicture(execution, m_chain.front(), MatrixView(pixels), height, width, MatrixSpan(features));
    passBlocks(execution, features, height, width);
    std::int64_t lines = height;
    std::int64_t columns = width;
    for (std::size_t index = 0; index < m_tail.size(); ++index) {
        const PackedConvolution& convolution = m_tail[index];
        const bool isLast = index + 1 == m_tail.size();
        const std::int64_t outLines = convolution.outHeight(lines);
        const std::int64_t outColumns = convolution.outWidth(columns);
        Tensor made =
            emptyPicture(execution, outLines * outColumns, isLast ? upscalerColours : m_layout.width);
        convolvePicture(execution, convolution, MatrixView(features), lines, columns, MatrixSpan(made));
        if (!isLast)
            leakyRectify(execution, MatrixSpan(made), denseSlope);
        features = std::move(made);
        lines = outLines;
        columns = outColumns;
    }
    return features;
}

Tensor Upscaler::applyCompact(const Execution& execution, const Tensor& pixels, std::int64_t height,
                              std::int64_t width) const {
    Tensor features = pixels;
    for (std::size_t index = 0; index < m_chain.size(); ++index) {
        Tensor made = emptyPicture(execution, height * width, m_chain[index].outChannels());
        convolvePicture(execution, m_chain[index], MatrixView(features), height, width, MatrixSpan(made));
        if (index < m_slopes.size())
            leakyRectify(execution, MatrixSpan(made), std::span<const float>(m_slopes[index]));
        features = std::move(made);
    }
    const std::int64_t scale = m_layout.scale;
    Tensor large = emptyPicture(execution, height * width * scale * scale, upscalerColours);
    unfoldPixels(execution, {MatrixView(features), height, width}, scale,
                 {MatrixSpan(large), height * scale, width * scale});
    return large;
}

Tensor Upscaler::enlarge(const Execution& execution, const Tensor& picture) const {
    const Shape& shape = picture.shape();
    if (shape.rank() != 3 || shape[2] != upscalerColours || picture.elements() == 0)
        throw Error(ErrorKind::Internal, "an upscaler got a picture of the shape " + shape.text());
    const std::int64_t scale = m_layout.scale;
    const std::int64_t height = ceilDivide(shape[0], m_layout.folded);
    const std::int64_t width = ceilDivide(shape[1], m_layout.folded);
    const Tensor pixels = foldedPixels(picture, m_layout.folded, height, width).in(execution.memory());
    const Tensor large = m_layout.kind == UpscalerKind::Dense
                             ? applyDense(execution, pixels, height, width).host()
                             : applyCompact(execution, pixels, height, width).host();
    Tensor result =
        croppedPicture(large, width * m_layout.folded * scale, shape[0] * scale, shape[1] * scale);
    if (m_layout.kind == UpscalerKind::Compact)
        addEnlarged(picture, scale, result);
    return result;
}

}  // namespace meshreel
