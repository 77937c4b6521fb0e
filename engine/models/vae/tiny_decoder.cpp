// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/tiny_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/stop_token.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

constexpr std::int64_t side = 3;  // side of the convolutions
constexpr ConvolutionGeometry sameSize{.padBefore = 1, .padAfter = 1};
constexpr std::size_t blocksOfLevel = 3;

// Places in upstream's list of layers: a bound, a convolution and a ReLU stand before the levels; a level is
// its blocks, what enlarges, what makes frames, a convolution; a ReLU stands before the last convolution.
constexpr std::size_t convInPlace = 1;
constexpr std::size_t firstLevelPlace = 3;
constexpr std::size_t placesOfLevel = blocksOfLevel + 3;

std::string layerName(std::size_t place, const char* inner = "") {
    return fmt::format("decoder.{}{}", place, inner);
}

void rectify(const ChunkContext& chunk, Tensor& x) {
    meshreel::rectify(chunk.execution, MatrixSpan(x));
}

/// Upstream's Clamp.
Tensor bounded(const ChunkContext& chunk, const Tensor& latents) {
    Tensor result = chunk.pool.take(latents.shape(), DType::F32);
    boundTo3(chunk.execution, MatrixSpan(result), MatrixView(latents));
    return result;
}

Tensor noBias(std::int64_t channels) {
    return Tensor::zeros({channels});
}

PackedConvolution convolutionIn(const WanVaeConfig& config, const VaeWeights& weights) {
    return weights.convolution(layerName(convInPlace), {config.tiny->widths.front(), config.zDim, side, side},
                               sameSize);
}

/// Rows of a weight or bias, whose first axis is (colour, row, column) of a square of pixels, in the order
/// (colour, column, row) that features have here.
Tensor inOrderOfSquares(const Tensor& values, std::int64_t patch) {
    Tensor ordered = Tensor::empty(values.shape());
    const std::int64_t length = values.elements() / values.extent(0);
    const float* from = values.data<float>().data();
    for (std::int64_t place = 0; place < values.extent(0); ++place) {
        const std::int64_t colour = place / (patch * patch);
        const std::int64_t column = place / patch % patch;
        const std::int64_t row = place % patch;
        std::copy_n(from + ((colour * patch + row) * patch + column) * length, length,
                    ordered.data<float>().data() + place * length);
    }
    return ordered;
}

PackedConvolution convolutionOut(const WanVaeConfig& config, const VaeWeights& weights) {
    const std::vector<std::int64_t>& widths = config.tiny->widths;
    const std::string name = layerName(firstLevelPlace + placesOfLevel * (widths.size() - 1) + 1);
    const Tensor weight = weights.get(name + ".weight", {config.outChannels, widths.back(), side, side});
    const Tensor bias = weights.get(name + ".bias", {config.outChannels});
    return weights.convolution(inOrderOfSquares(weight, config.patchSize),
                               inOrderOfSquares(bias, config.patchSize), sameSize);
}

/// The first convolution of a memory block reads the channels of a frame and, behind them, those of the frame
/// before: a kernel over two frames.
CausalConvolution overTwoFrames(const VaeWeights& weights, const std::string& name, std::int64_t channels) {
    constexpr std::int64_t frames = 2;
    constexpr std::int64_t taps = side * side;
    const Tensor both = weights.get(name + ".weight", {channels, frames * channels, side, side});
    Tensor weight = Tensor::empty({channels, channels, frames, side, side});
    const float* from = both.data<float>().data();
    float* to = weight.data<float>().data();
    for (std::int64_t out = 0; out < channels; ++out)
        for (std::int64_t in = 0; in < channels; ++in)
            for (const std::int64_t half : {1, 0}) {  // the past is the first frame of the kernel
                std::copy_n(from + ((out * frames + half) * channels + in) * taps, taps, to);
                to += taps;
            }
    return CausalConvolution(weights.convolution(weight, weights.get(name + ".bias", {channels}), sameSize));
}

}  // namespace

TinyDecoder::MemoryBlock::MemoryBlock(const VaeWeights& weights, const std::string& name,
                                      std::int64_t channels)
    : m_first(overTwoFrames(weights, name + ".conv.0", channels)),
      m_second(weights.convolution(name + ".conv.2", {channels, channels, side, side}, sameSize)),
      m_third(weights.convolution(name + ".conv.4", {channels, channels, side, side}, sameSize)) {}

Tensor TinyDecoder::MemoryBlock::apply(const ChunkContext& chunk, const Tensor& x) const {
    throwIfStopped(chunk.execution.stop);
    Tensor hidden = m_first.apply(chunk, x);
    rectify(chunk, hidden);
    hidden = convolve(chunk, m_second, hidden);
    rectify(chunk, hidden);
    hidden = convolve(chunk, m_third, hidden);
    addAndRectify(chunk.execution, MatrixSpan(hidden), MatrixView(x));
    return hidden;
}

std::size_t TinyDecoder::MemoryBlock::bytes() const {
    return m_first.bytes() + m_second.bytes() + m_third.bytes();
}

TinyDecoder::TinyDecoder(const WanVaeConfig& config, const VaeWeights& weights)
    : m_convIn(convolutionIn(config, weights)),
      m_convOut(convolutionOut(config, weights)),
      m_tooMany(config.temporalFactor() - 1) {
    for (std::size_t index = 0; index + 1 < config.tiny->widths.size(); ++index)
        m_levels.push_back(readLevel(config, weights, index));
}

TinyDecoder::Level TinyDecoder::readLevel(const WanVaeConfig& config, const VaeWeights& weights,
                                          std::size_t index) {
    const TinyDecoderConfig& tiny = config.tiny.value();
    const std::size_t levels = tiny.widths.size() - 1;
    const std::int64_t channels = tiny.widths[index];
    const std::int64_t behind = tiny.widths[index + 1];
    const std::size_t place = firstLevelPlace + placesOfLevel * index;
    std::vector<MemoryBlock> blocks;
    for (std::size_t block = 0; block < blocksOfLevel; ++block)
        blocks.emplace_back(weights, layerName(place + block), channels);

    const std::int64_t held = config.temporalDownsample[index] ? 2 : 1;  // frames, in the file
    const std::int64_t growth = tiny.preview ? 1 : held;
    // A preview takes the last of several frames, as upstream does if time is not lengthened.
    const Tensor grow =
        weights.get(layerName(place + blocksOfLevel + 1, ".conv.weight"), {held * channels, channels, 1, 1})
            .slice((held - growth) * channels, held * channels);
    const Tensor enlarge =
        weights.get(layerName(place + blocksOfLevel + 2, ".weight"), {behind, channels, side, side});
    const bool keepsSize = tiny.preview && index + 1 == levels;
    return {.blocks = std::move(blocks),
            .grow = weights.convolution(grow, noBias(growth * channels)),
            .growth = growth,
            .enlarge = weights.convolution(enlarge, noBias(behind),
                                           {.padBefore = 1, .padAfter = 1, .upsample = keepsSize ? 1 : 2})};
}

Tensor TinyDecoder::applyBlocks(const ChunkContext& chunk, const Level& level, Tensor x) {
    for (const MemoryBlock& block : level.blocks)
        x = block.apply(chunk, x);
    return x;
}

/// One frame behind the blocks of the last level, as the frames that it makes. Of these the first `leftOut`
/// are not computed.
Tensor TinyDecoder::finish(const ChunkContext& chunk, const Tensor& x, std::int64_t& leftOut) const {
    const Level& last = m_levels.back();
    const StripFeatures grown = withNeighbours(chunk, last.enlarge, convolve(chunk, last.grow, x));
    const std::span<const ConvolutionFrame> listed = channelsAsFrames(chunk, grown, last.growth);
    const std::vector<ConvolutionFrame> apart(listed.begin(), listed.end());  // convolutions use the list
    std::vector<Tensor> results;
    for (const ConvolutionFrame& frame : apart) {
        if (leftOut > 0) {
            --leftOut;
            continue;
        }
        Tensor pixels =
            convolve(chunk, last.enlarge, std::span(&frame, 1), x.extent(1), x.extent(2), chunk.activations);
        rectify(chunk, pixels);
        pixels = convolve(chunk, m_convOut, pixels, DType::F32);
        centre(chunk.execution, MatrixSpan(pixels));  // colours of [0, 1], as the Wan VAE has them
        results.push_back(std::move(pixels));
    }
    return results.empty() ? Tensor() : joinFrames(results);
}

Tensor TinyDecoder::apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& latents) const {
    Tensor x = convolve(chunk, m_convIn, bounded(chunk, latents));
    rectify(chunk, x);
    chunk.record("dec.conv_in", x);
    for (std::size_t index = 0; index + 1 < m_levels.size(); ++index) {
        const Level& level = m_levels[index];
        x = applyBlocks(chunk, level, std::move(x));
        const StripFeatures grown = withNeighbours(chunk, level.enlarge, convolve(chunk, level.grow, x));
        x = convolve(chunk, level.enlarge, channelsAsFrames(chunk, grown, level.growth), x.extent(1),
                     x.extent(2), chunk.activations);
        chunk.record("dec.up", index, x);
    }
    std::int64_t leftOut = chunk.cache.firstPass() ? m_tooMany : 0;
    std::vector<Tensor> results = passFrames(chunk, frames, x, [&](const ChunkContext& frame, Tensor pixels) {
        return finish(frame, applyBlocks(frame, m_levels.back(), std::move(pixels)), leftOut);
    });
    std::erase_if(results, [](const Tensor& result) { return result.elements() == 0; });
    return joinFrames(results);
}

std::size_t TinyDecoder::bytes() const {
    std::size_t total = m_convIn.bytes() + m_convOut.bytes();
    for (const Level& level : m_levels) {
        total += level.grow.bytes() + level.enlarge.bytes();
        for (const MemoryBlock& block : level.blocks)
            total += block.bytes();
    }
    return total;
}

}  // namespace meshreel
