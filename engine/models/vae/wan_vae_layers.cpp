// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_layers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/kernels/attention/attention_kernel.h"

namespace meshreel {
namespace {

constexpr std::int64_t kernelExtent = 3;

// Query rows that one worker takes at a time, and keys of one pass.
constexpr std::int64_t attentionQueryBlock = 128;
constexpr std::int64_t attentionKeyBlock = 512;

ChannelNorm loadNorm(const VaeWeights& weights, const std::string& name, std::int64_t channels) {
    return weights.norm(name, {channels, 1, 1, 1}, ChannelNorm::After::Silu);
}

Tensor normalized(const ChunkContext& chunk, const ChannelNorm& norm, const Tensor& x) {
    Tensor y = chunk.pool.take(x.shape(), chunk.activations);
    norm.apply(chunk.execution, MatrixView(x), MatrixSpan(y));
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
    Tensor out = chunk.pool.take({frames, qkv.extent(1), qkv.extent(2), channels}, DType::F32);
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

MatrixView frameOf(const Tensor& part, std::int64_t frame) {
    return part.elements() == 0 ? MatrixView() : MatrixView(part.slice(frame, frame + 1));
}

/// The frames that a causal convolution reads: zeros where there is no past yet.
std::vector<ConvolutionFrame> windowOf(const FrameHistory& history, std::int64_t reach,
                                       const StripFeatures& x) {
    std::vector<ConvolutionFrame> frames(static_cast<std::size_t>(reach - std::ssize(history.frames())));
    for (const StripFeatures& past : history.frames())
        std::ranges::copy(framesOf(past), std::back_inserter(frames));
    std::ranges::copy(framesOf(x), std::back_inserter(frames));
    return frames;
}

}  // namespace

std::vector<ConvolutionFrame> framesOf(const StripFeatures& x) {
    std::vector<ConvolutionFrame> frames;
    for (std::int64_t frame = 0; frame < x.pixels.extent(0); ++frame)
        frames.push_back({frameOf(x.pixels, frame), frameOf(x.left, frame), frameOf(x.right, frame)});
    return frames;
}

StripFeatures withNeighbours(const ChunkContext& chunk, const PackedConvolution& convolution,
                             const Tensor& x) {
    const bool left = convolution.readsLeftColumn();
    const bool right = convolution.readsRightColumn();
    if (chunk.strips == nullptr || (!left && !right))
        return {x};
    return chunk.strips->withNeighbours(x, left, right);
}

Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution,
                std::span<const ConvolutionFrame> frames, std::int64_t height, std::int64_t width, DType type,
                const ConvolutionEpilogue& epilogue) {
    Tensor out = chunk.pool.take({convolution.outFrames(std::ssize(frames)), convolution.outHeight(height),
                                  convolution.outWidth(width), convolution.outChannels()},
                                 type);
    convolution.apply(chunk.execution, frames, height, width, MatrixSpan(out), epilogue);
    return out;
}

Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution, const Tensor& x) {
    return convolve(chunk, convolution, x, chunk.activations);
}

Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution, const Tensor& x,
                DType type) {
    const StripFeatures strip = withNeighbours(chunk, convolution, x);
    return convolve(chunk, convolution, framesOf(strip), x.extent(1), x.extent(2), type);
}

CausalConvolution::CausalConvolution(const VaeWeights& weights, const std::string& name,
                                     std::int64_t outChannels, std::int64_t inChannels,
                                     std::int64_t kernelFrames, std::int64_t kernelSide)
    : m_convolution(weights.convolution(name, {outChannels, inChannels, kernelFrames, kernelSide, kernelSide},
                                        {.padBefore = kernelSide / 2, .padAfter = kernelSide / 2})) {}

void CausalConvolution::applyTo(const ChunkContext& chunk, const Tensor& x, Tensor& out,
                                const ConvolutionEpilogue& epilogue) const {
    const std::int64_t reach = m_convolution.kernelFrames() - 1;
    FrameHistory& history = chunk.cache.next();
    const StripFeatures strip = withNeighbours(chunk, m_convolution, x);
    m_convolution.apply(chunk.execution, windowOf(history, reach, strip), x.extent(1), x.extent(2),
                        MatrixSpan(out), epilogue);
    history.push(strip, reach);
}

Tensor CausalConvolution::apply(const ChunkContext& chunk, const Tensor& x,
                                const ConvolutionEpilogue& epilogue) const {
    Tensor out = chunk.pool.take({x.extent(0), x.extent(1), x.extent(2), m_convolution.outChannels()},
                                 chunk.activations);
    applyTo(chunk, x, out, epilogue);
    return out;
}

Tensor CausalConvolution::apply(const ChunkContext& chunk, const Tensor& x, DType type) const {
    Tensor out = chunk.pool.take({x.extent(0), x.extent(1), x.extent(2), m_convolution.outChannels()}, type);
    applyTo(chunk, x, out, {});
    return out;
}

void CausalConvolution::addTo(const ChunkContext& chunk, const Tensor& x, Tensor& sum) const {
    applyTo(chunk, x, sum, {.addToOutput = true});
}

ResidualBlock::ResidualBlock(const VaeWeights& weights, const std::string& name, std::int64_t inChannels,
                             std::int64_t outChannels)
    : m_norm1(loadNorm(weights, name + ".norm1", inChannels)),
      m_norm2(loadNorm(weights, name + ".norm2", outChannels)),
      m_conv1(weights, name + ".conv1", outChannels, inChannels, kernelExtent, kernelExtent),
      m_conv2(weights, name + ".conv2", outChannels, outChannels, kernelExtent, kernelExtent) {
    if (inChannels != outChannels)
        m_shortcut = weights.convolution(name + ".conv_shortcut", {outChannels, inChannels, 1, 1, 1});
}

Tensor ResidualBlock::apply(const ChunkContext& chunk, Tensor x) const {
    throwIfStopped(chunk.execution.stop);
    Tensor hidden = normalized(chunk, m_norm1, x);
    hidden = m_conv1.apply(chunk, hidden, {.norm = &m_norm2});
    if (m_shortcut)
        x = convolve(chunk, *m_shortcut, x);
    m_conv2.addTo(chunk, hidden, x);
    return x;
}

std::size_t ResidualBlock::bytes() const {
    return m_conv1.bytes() + m_conv2.bytes() + (m_shortcut ? m_shortcut->bytes() : 0);
}

FrameAttention::FrameAttention(const VaeWeights& weights, const std::string& name, std::int64_t channels)
    : m_norm(weights.norm(name + ".norm", {channels, 1, 1}, ChannelNorm::After::Nothing)),
      m_qkv(weights.convolution(name + ".to_qkv", {3 * channels, channels, 1, 1})),
      m_projection(weights.convolution(name + ".proj", {channels, channels, 1, 1})) {}

Tensor FrameAttention::apply(const ChunkContext& chunk, Tensor x) const {
    const Tensor qkv = convolve(chunk, m_qkv, normalized(chunk, m_norm, x), DType::F32);
    const Tensor attended = attendWithinFrames(chunk, qkv);
    m_projection.apply(chunk.execution, framesOf({attended}), x.extent(1), x.extent(2), MatrixSpan(x),
                       {.addToOutput = true});
    return x;
}

MidBlock::MidBlock(const VaeWeights& weights, const std::string& name, std::int64_t channels)
    : m_first(weights, name + ".resnets.0", channels, channels),
      m_attention(weights, name + ".attentions.0", channels),
      m_second(weights, name + ".resnets.1", channels, channels) {}

Tensor MidBlock::apply(const ChunkContext& chunk, const std::string& prefix, Tensor x) const {
    x = m_first.apply(chunk, std::move(x));
    chunk.record(prefix + ".mid_res0", x);
    x = m_attention.apply(chunk, std::move(x));
    chunk.record(prefix + ".mid_attn", x);
    x = m_second.apply(chunk, std::move(x));
    chunk.record(prefix + ".mid", x);
    return x;
}

OutputHead::OutputHead(const VaeWeights& weights, const std::string& name, std::int64_t outChannels,
                       std::int64_t inChannels)
    : m_norm(loadNorm(weights, name + ".norm_out", inChannels)),
      m_convolution(weights, name + ".conv_out", outChannels, inChannels, kernelExtent, kernelExtent) {}

Tensor OutputHead::apply(const ChunkContext& chunk, const std::string& prefix, const Tensor& x) const {
    if (chunk.recorder != nullptr)
        chunk.record(prefix + ".norm_out",
                     normalized(chunk, m_norm.followedBy(ChannelNorm::After::Nothing), x));
    Tensor out = m_convolution.apply(chunk, normalized(chunk, m_norm, x), DType::F32);
    chunk.record(prefix + ".conv_out", out);
    return out;
}

}  // namespace meshreel
