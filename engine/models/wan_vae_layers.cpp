// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_layers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/kernels/attention_kernel.h"
#include "engine/kernels/channel_norm.h"
#include "engine/kernels/elementwise.h"
#include "engine/models/model_weights.h"

namespace meshreel {
namespace {

constexpr std::int64_t kernelExtent = 3;

// Query rows that one worker takes at a time, and keys of one pass.
constexpr std::int64_t attentionQueryBlock = 128;
constexpr std::int64_t attentionKeyBlock = 512;

Tensor loadGamma(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels) {
    return loadF32(checkpoint, name + ".gamma", {channels, 1, 1, 1});
}

Tensor normalized(const Execution& execution, const Tensor& gamma, Activation* activation, const Tensor& x) {
    Tensor y = Tensor::empty(x.shape());
    channelNorm(execution, x.data<float>(), gamma.data<float>(), activation, y.data<float>());
    return y;
}

/// Keys beside their values, of whole frames.
struct FrameKeys {
    Tensor memory;           // [T, H, W, stride]
    std::int64_t first = 0;  // channel where the keys begin
};

FrameKeys keysOf(const ChunkContext& chunk, const Tensor& qkv) {
    const std::int64_t queryChannels = qkv.extent(3) / 3;
    if (chunk.strips == nullptr)
        return {qkv, queryChannels};
    return {chunk.strips->wholeFrames(qkv, queryChannels), 0};
}

/// softmax(q·kᵀ/√C)·v within each frame. qkv [T, H, W, 3C] holds a pixel's query, key and value in this
/// order; those of a strip attend to the pixels of all strips.
Tensor attendWithinFrames(const ChunkContext& chunk, const Tensor& qkv) {
    const Execution& execution = chunk.execution;
    const FrameKeys allKeys = keysOf(chunk, qkv);
    const std::int64_t frames = qkv.extent(0);
    const std::int64_t pixels = qkv.extent(1) * qkv.extent(2);
    const std::int64_t stride = qkv.extent(3);
    const std::int64_t channels = stride / 3;
    const std::int64_t keyStride = allKeys.memory.extent(3);
    const std::int64_t keyPixels = allKeys.memory.extent(1) * allKeys.memory.extent(2);
    Tensor out = Tensor::empty({frames, qkv.extent(1), qkv.extent(2), channels});
    const float* source = qkv.data<float>().data();
    const float* keySource = allKeys.memory.data<float>().data() + allKeys.first;
    float* result = out.data<float>().data();
    const std::int64_t blocks = (pixels + attentionQueryBlock - 1) / attentionQueryBlock;
    execution.workers.parallelFor(frames * blocks, [&](std::int64_t begin, std::int64_t end) {
        AttentionScratch scratch;
        AttentionPartial partial;
        for (std::int64_t unit = begin; unit < end; ++unit) {
            throwIfStopped(execution.stop);
            const std::int64_t frame = unit / blocks;
            const std::int64_t first = unit % blocks * attentionQueryBlock;
            const float* keys = keySource + frame * keyPixels * keyStride;
            AttentionProblem problem;
            problem.queries = std::min(attentionQueryBlock, pixels - first);
            problem.keys = keyPixels;
            problem.headDim = channels;
            problem.q = {source + (frame * pixels + first) * stride, stride};
            problem.k = {keys, keyStride};
            problem.v = {keys + channels, keyStride};
            problem.scale = 1.0F / std::sqrt(static_cast<float>(channels));
            flashAttention(problem, attentionKeyBlock, attentionKeyBlock, scratch, partial);
            finalizePartial(partial, result + (frame * pixels + first) * channels, channels);
        }
    });
    return out;
}

ConvolutionFrame frameOf(const StripFeatures& strip, std::int64_t frame) {
    const auto part = [&](const Tensor& tensor) {
        return tensor.elements() == 0
                   ? nullptr
                   : tensor.data<float>().data() + frame * (tensor.elements() / tensor.extent(0));
    };
    return {part(strip.pixels), part(strip.left), part(strip.right)};
}

}  // namespace

PackedConvolution loadConvolution(const Checkpoint& checkpoint, const std::string& name, const Shape& weight,
                                  const ConvolutionGeometry& geometry) {
    const Tensor values = checkpoint.get(name + ".weight", weight);
    return PackedConvolution::pack(values, checkpoint.get(name + ".bias", {weight[0]}), geometry);
}

Tensor convolve(const Execution& execution, const PackedConvolution& convolution, std::int64_t zeroFrames,
                std::span<const StripFeatures> past, const StripFeatures& x) {
    const std::int64_t height = x.pixels.extent(1);
    const std::int64_t width = x.pixels.extent(2);
    std::vector<ConvolutionFrame> frames(static_cast<std::size_t>(zeroFrames));
    for (const StripFeatures& frame : past)
        frames.push_back(frameOf(frame, 0));
    for (std::int64_t frame = 0; frame < x.pixels.extent(0); ++frame)
        frames.push_back(frameOf(x, frame));
    Tensor out = Tensor::empty({convolution.outFrames(std::ssize(frames)), convolution.outHeight(height),
                                convolution.outWidth(width), convolution.outChannels()});
    convolution.apply(execution, frames, height, width, out.data<float>());
    return out;
}

Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution, const Tensor& x) {
    return convolve(chunk.execution, convolution, 0, {}, withNeighbours(chunk, convolution, x));
}

StripFeatures withNeighbours(const ChunkContext& chunk, const PackedConvolution& convolution,
                             const Tensor& x) {
    const bool left = convolution.readsLeftColumn();
    const bool right = convolution.readsRightColumn();
    if (chunk.strips == nullptr || (!left && !right))
        return {x};
    return chunk.strips->withNeighbours(x, left, right);
}

CausalConvolution::CausalConvolution(const Checkpoint& checkpoint, const std::string& name,
                                     std::int64_t outChannels, std::int64_t inChannels,
                                     std::int64_t kernelFrames, std::int64_t kernelSide)
    : m_convolution(loadConvolution(checkpoint, name,
                                    {outChannels, inChannels, kernelFrames, kernelSide, kernelSide},
                                    {.padBefore = kernelSide / 2, .padAfter = kernelSide / 2})) {}

Tensor CausalConvolution::apply(const ChunkContext& chunk, const Tensor& x) const {
    const std::int64_t reach = m_convolution.kernelFrames() - 1;
    FrameHistory& history = chunk.cache.next();
    const StripFeatures strip = withNeighbours(chunk, m_convolution, x);
    Tensor out = convolve(chunk.execution, m_convolution, reach - std::ssize(history.frames()),
                          history.frames(), strip);
    history.push(strip, reach);
    return out;
}

ResidualBlock::ResidualBlock(const Checkpoint& checkpoint, const std::string& name, std::int64_t inChannels,
                             std::int64_t outChannels)
    : m_norm1(loadGamma(checkpoint, name + ".norm1", inChannels)),
      m_norm2(loadGamma(checkpoint, name + ".norm2", outChannels)),
      m_conv1(checkpoint, name + ".conv1", outChannels, inChannels, kernelExtent, kernelExtent),
      m_conv2(checkpoint, name + ".conv2", outChannels, outChannels, kernelExtent, kernelExtent) {
    if (inChannels != outChannels)
        m_shortcut = loadConvolution(checkpoint, name + ".conv_shortcut", {outChannels, inChannels, 1, 1, 1});
}

Tensor ResidualBlock::apply(const ChunkContext& chunk, const Tensor& x) const {
    const Execution& execution = chunk.execution;
    throwIfStopped(execution.stop);
    Tensor hidden = m_conv1.apply(chunk, normalized(execution, m_norm1, silu, x));
    channelNorm(execution, std::as_const(hidden).data<float>(), m_norm2.data<float>(), silu,
                hidden.data<float>());
    hidden = m_conv2.apply(chunk, hidden);
    const Tensor shortcut = m_shortcut ? convolve(chunk, *m_shortcut, x) : x;
    addInPlace(execution, hidden.data<float>(), shortcut.data<float>());
    return hidden;
}

std::size_t ResidualBlock::bytes() const {
    return m_conv1.bytes() + m_conv2.bytes() + (m_shortcut ? m_shortcut->bytes() : 0);
}

FrameAttention::FrameAttention(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels)
    : m_norm(loadF32(checkpoint, name + ".norm.gamma", {channels, 1, 1})),
      m_qkv(loadConvolution(checkpoint, name + ".to_qkv", {3 * channels, channels, 1, 1})),
      m_projection(loadConvolution(checkpoint, name + ".proj", {channels, channels, 1, 1})) {}

Tensor FrameAttention::apply(const ChunkContext& chunk, const Tensor& x) const {
    const Execution& execution = chunk.execution;
    const Tensor qkv = convolve(chunk, m_qkv, normalized(execution, m_norm, nullptr, x));
    Tensor out = convolve(chunk, m_projection, attendWithinFrames(chunk, qkv));
    addInPlace(execution, out.data<float>(), x.data<float>());
    return out;
}

MidBlock::MidBlock(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels)
    : m_first(checkpoint, name + ".resnets.0", channels, channels),
      m_attention(checkpoint, name + ".attentions.0", channels),
      m_second(checkpoint, name + ".resnets.1", channels, channels) {}

Tensor MidBlock::apply(const ChunkContext& chunk, const std::string& prefix, const Tensor& x) const {
    Tensor hidden = m_first.apply(chunk, x);
    chunk.record(prefix + ".mid_res0", hidden);
    hidden = m_attention.apply(chunk, hidden);
    chunk.record(prefix + ".mid_attn", hidden);
    hidden = m_second.apply(chunk, hidden);
    chunk.record(prefix + ".mid", hidden);
    return hidden;
}

OutputHead::OutputHead(const Checkpoint& checkpoint, const std::string& name, std::int64_t outChannels,
                       std::int64_t inChannels)
    : m_norm(loadGamma(checkpoint, name + ".norm_out", inChannels)),
      m_convolution(checkpoint, name + ".conv_out", outChannels, inChannels, kernelExtent, kernelExtent) {}

Tensor OutputHead::apply(const ChunkContext& chunk, const std::string& prefix, const Tensor& x) const {
    Tensor hidden = normalized(chunk.execution, m_norm, nullptr, x);
    chunk.record(prefix + ".norm_out", hidden);
    activate(chunk.execution, silu, hidden.data<float>());
    hidden = m_convolution.apply(chunk, hidden);
    chunk.record(prefix + ".conv_out", hidden);
    return hidden;
}

}  // namespace meshreel
