// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_layers.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/wide_attention.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

Tensor VaeWeights::get(const std::string& name, const Shape& shape) const {
    const Tensor stored = m_checkpoint.get(name, shape);
    Tensor values = stored.toF32();
    if (m_precision.weights == DType::BF16) {
        Tensor rounded = Tensor::empty(shape, DType::BF16);
        convert(std::as_const(values).data<float>(), rounded.data<BFloat16>());
        values = rounded.toF32();
    }
    if (!m_checkpoint.isInPlace(name) || values.raw() != stored.raw())
        m_checkpoint.release(name);
    return values;
}

PackedConvolution VaeWeights::convolution(const std::string& name, const Shape& weight,
                                          const ConvolutionGeometry& geometry) const {
    const Tensor values = get(name + ".weight", weight);
    PackedConvolution packed = convolution(values, get(name + ".bias", {weight[0]}), geometry);
    m_checkpoint.release(name + ".weight");
    return packed;
}

PackedConvolution VaeWeights::convolution(const Tensor& weight, const Tensor& bias,
                                          const ConvolutionGeometry& geometry) const {
    return PackedConvolution::pack(weight, bias, geometry, m_precision.products(), m_memory);
}

ChannelNorm VaeWeights::norm(const std::string& name, const Shape& gamma, ChannelNorm::After after) const {
    return ChannelNorm(get(name + ".gamma", gamma).in(m_memory), after);
}

void VaeWeights::prepareFrameAttention() const {
    prepareKernels(m_memory, {.frameAttention = true});
}

namespace {

constexpr std::int64_t kernelExtent = 3;  // of convolutions over time and over space
constexpr std::int64_t factor = 2;        // of resampling

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

FrameKeys toFrameKeys(const ChunkContext& chunk, const Tensor& qkv) {
    const std::int64_t queryChannels = qkv.extent(3) / 3;
    if (chunk.strips == nullptr)
        return {qkv, queryChannels};
    return {chunk.strips->wholeFrames(qkv, queryChannels), 0};
}

/// softmax(q·kᵀ/√C)·v within each frame. qkv [T, H, W, 3C] holds a pixel's query, key and value in this
/// order; those of a strip attend to the pixels of all strips.
Tensor attendWithinFrames(const ChunkContext& chunk, const Tensor& qkv) {
    const FrameKeys allKeys = toFrameKeys(chunk, qkv);
    const std::int64_t channels = qkv.extent(3) / 3;
    const MatrixView keysAndValues(allKeys.memory);
    Tensor out = chunk.pool.take({qkv.extent(0), qkv.extent(1), qkv.extent(2), channels}, DType::F32);
    attendWidely(chunk.execution,
                 {.frames = qkv.extent(0),
                  .q = MatrixView(qkv).columns(0, channels),
                  .k = keysAndValues.columns(allKeys.first, channels),
                  .v = keysAndValues.columns(allKeys.first + channels, channels)},
                 MatrixSpan(out));
    return out;
}

MatrixView frameOf(const Tensor& part, std::int64_t frame) {
    return part.elements() == 0 ? MatrixView() : MatrixView(part.slice(frame, frame + 1));
}

void addFrames(const StripFeatures& x, std::vector<ConvolutionFrame>& to) {
    for (std::int64_t frame = 0; frame < x.pixels.extent(0); ++frame)
        to.push_back({frameOf(x.pixels, frame), frameOf(x.left, frame), frameOf(x.right, frame)});
}

/// The frames that a causal convolution reads: zeros where there is no past yet.
std::span<const ConvolutionFrame> frameWindow(const ChunkContext& chunk, const FrameHistory& history,
                                              std::int64_t reach, const StripFeatures& x) {
    std::vector<ConvolutionFrame>& frames = chunk.pool.frameList();
    frames.resize(static_cast<std::size_t>(reach - std::ssize(history.frames())));
    for (const StripFeatures& past : history.frames())
        addFrames(past, frames);
    addFrames(x, frames);
    return frames;
}

}  // namespace

std::span<const ConvolutionFrame> framesOf(const ChunkContext& chunk, const StripFeatures& x) {
    std::vector<ConvolutionFrame>& frames = chunk.pool.frameList();
    addFrames(x, frames);
    return frames;
}

std::span<const ConvolutionFrame> channelsAsFrames(const ChunkContext& chunk, const StripFeatures& x,
                                                   std::int64_t frames) {
    const std::int64_t channels = x.pixels.extent(3) / frames;
    const auto part = [&](const MatrixView& all, std::int64_t index) {
        return all.rows() == 0 ? MatrixView() : all.columns(index * channels, channels);
    };
    std::vector<ConvolutionFrame>& apart = chunk.pool.frameList();
    for (std::int64_t frame = 0; frame < x.pixels.extent(0); ++frame)
        for (std::int64_t index = 0; index < frames; ++index)
            apart.push_back({part(frameOf(x.pixels, frame), index), part(frameOf(x.left, frame), index),
                             part(frameOf(x.right, frame), index)});
    return apart;
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
    return convolve(chunk, convolution, framesOf(chunk, strip), x.extent(1), x.extent(2), type);
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
    m_convolution.apply(chunk.execution, frameWindow(chunk, history, reach, strip), x.extent(1), x.extent(2),
                        MatrixSpan(out), epilogue);
    history.push(strip, reach, chunk.pool);
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
      m_projection(weights.convolution(name + ".proj", {channels, channels, 1, 1})) {
    weights.prepareFrameAttention();
}

Tensor FrameAttention::apply(const ChunkContext& chunk, Tensor x) const {
    const Tensor qkv = convolve(chunk, m_qkv, normalized(chunk, m_norm, x), DType::F32);
    const Tensor attended = attendWithinFrames(chunk, qkv);
    m_projection.apply(chunk.execution, framesOf(chunk, {attended}), x.extent(1), x.extent(2), MatrixSpan(x),
                       {.addToOutput = true});
    return x;
}

MidBlock::MidBlock(const VaeWeights& weights, const std::string& name, std::int64_t channels)
    : m_first(weights, name + ".resnets.0", channels, channels),
      m_attention(weights, name + ".attentions.0", channels),
      m_second(weights, name + ".resnets.1", channels, channels) {}

Tensor MidBlock::apply(const ChunkContext& chunk, std::string_view prefix, Tensor x) const {
    x = m_first.apply(chunk, std::move(x));
    chunk.record(prefix, ".mid_res0", x);
    x = m_attention.apply(chunk, std::move(x));
    chunk.record(prefix, ".mid_attn", x);
    x = m_second.apply(chunk, std::move(x));
    chunk.record(prefix, ".mid", x);
    return x;
}

OutputHead::OutputHead(const VaeWeights& weights, const std::string& name, std::int64_t outChannels,
                       std::int64_t inChannels)
    : m_norm(loadNorm(weights, name + ".norm_out", inChannels)),
      m_convolution(weights, name + ".conv_out", outChannels, inChannels, kernelExtent, kernelExtent) {}

Tensor OutputHead::apply(const ChunkContext& chunk, std::string_view prefix, const Tensor& x) const {
    if (chunk.recorder != nullptr)
        chunk.record(prefix, ".norm_out",
                     normalized(chunk, m_norm.followedBy(ChannelNorm::After::Nothing), x));
    Tensor out = m_convolution.apply(chunk, normalized(chunk, m_norm, x), DType::F32);
    chunk.record(prefix, ".conv_out", out);
    return out;
}

Downsampler::Downsampler(const VaeWeights& weights, const std::string& name, std::int64_t channels,
                         bool temporal)
    : m_space(weights.convolution(name + ".resample.1", {channels, channels, kernelExtent, kernelExtent},
                                  {.spaceStride = factor, .padAfter = 1})) {
    if (temporal)
        m_time = weights.convolution(name + ".time_conv", {channels, channels, kernelExtent, 1, 1},
                                     {.timeStride = factor});
}

Tensor Downsampler::apply(const ChunkContext& chunk, const Tensor& x) const {
    Tensor small = convolve(chunk, m_space, x);
    if (!m_time)
        return small;
    FrameHistory& history = chunk.cache.next();
    Tensor out = small;
    if (!chunk.cache.firstPass()) {
        std::vector<ConvolutionFrame>& frames = chunk.pool.frameList();
        addFrames(history.frames().front(), frames);
        addFrames({small}, frames);
        out = convolve(chunk, *m_time, frames, small.extent(1), small.extent(2), chunk.activations);
    }
    // A copy: the first frame is kept, and the next layer overwrites it.
    const std::int64_t last = small.extent(0) - 1;
    history.push({chunk.pool.copy(small.slice(last, last + 1))}, kernelExtent - factor, chunk.pool);
    return out;
}

Upsampler::Upsampler(const VaeWeights& weights, const std::string& name, std::int64_t channels,
                     std::int64_t outChannels, bool temporal)
    : m_space(weights.convolution(name + ".resample.1", {outChannels, channels, kernelExtent, kernelExtent},
                                  {.padBefore = 1, .padAfter = 1, .upsample = factor})) {
    if (temporal)
        m_time.emplace(weights, name + ".time_conv", factor * channels, channels, kernelExtent, 1);
}

Tensor Upsampler::apply(const ChunkContext& chunk, const Tensor& x) const {
    if (!m_time)
        return convolve(chunk, m_space, x);
    if (chunk.cache.firstPass()) {
        // Upstream's "Rep": the first chunk leaves no frames behind either, so the second starts on zeros.
        chunk.cache.next();
        return convolve(chunk, m_space, x);
    }
    const StripFeatures doubled = withNeighbours(chunk, m_space, m_time->apply(chunk, x));
    return convolve(chunk, m_space, channelsAsFrames(chunk, doubled, factor), x.extent(1), x.extent(2),
                    chunk.activations);
}

Tensor shortcutSource(const ChunkContext& chunk, const Tensor& x) {
    return chunk.pool.copy(x);
}

}  // namespace meshreel
