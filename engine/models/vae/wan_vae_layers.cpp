// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_layers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_pixels.h"
#include "engine/kernels/gpu/gpu_wide_attention.h"
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

namespace {

constexpr std::int64_t kernelExtent = 3;  // of convolutions over time and over space
constexpr std::int64_t factor = 2;        // of resampling

// Query rows that one worker takes at a time, and keys of one pass.
constexpr std::int64_t attentionQueryBlock = 128;
constexpr FlashBlockSizes attentionBlocks{.blockKv = 512, .blockKvCompute = 512, .blockKvComputeIn = 256};

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

/// attendWithinFrames() of whole frames in a GPU's memory.
Tensor attendOnGpu(const ChunkContext& chunk, const Tensor& qkv) {
    if (chunk.strips != nullptr)
        throw Error(ErrorKind::Internal, "attention within a frame on a GPU takes whole frames");
    const std::int64_t channels = qkv.extent(3) / 3;
    Tensor out = chunk.pool.take({qkv.extent(0), qkv.extent(1), qkv.extent(2), channels}, DType::F32);
    for (std::int64_t frame = 0; frame < qkv.extent(0); ++frame) {
        const MatrixView rows(qkv.slice(frame, frame + 1));
        const MatrixView result(out.slice(frame, frame + 1));
        GpuWork& gpu = requireGpu(chunk.execution, {rows, result});
        const GpuWideAttention attention{.q = gpuMatrix(rows.columns(0, channels)),
                                         .k = gpuMatrix(rows.columns(channels, channels)),
                                         .v = gpuMatrix(rows.columns(2 * channels, channels)),
                                         .scale = 1.0 / std::sqrt(static_cast<double>(channels))};
        const Tensor scores = chunk.pool.take({attention.scratch()}, DType::F32);
        attend(gpu.pipelines(), gpu.stream(), attention, gpuMatrix(MatrixView(scores)).address,
               gpuMatrix(result));
    }
    return out;
}

/// softmax(q·kᵀ/√C)·v within each frame. qkv [T, H, W, 3C] holds a pixel's query, key and value in this
/// order; those of a strip attend to the pixels of all strips.
Tensor attendWithinFrames(const ChunkContext& chunk, const Tensor& qkv) {
    if (!qkv.isOnHost())
        return attendOnGpu(chunk, qkv);
    const Execution& execution = chunk.execution;
    const FrameKeys allKeys = toFrameKeys(chunk, qkv);
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
            flashAttention(problem, attentionBlocks, scratch, partial);
            finalizePartial(partial, result + (frame * pixels + first) * channels, channels);
        }
    });
    return out;
}

MatrixView frameOf(const Tensor& part, std::int64_t frame) {
    return part.elements() == 0 ? MatrixView() : MatrixView(part.slice(frame, frame + 1));
}

/// The frames that a causal convolution reads: zeros where there is no past yet.
std::vector<ConvolutionFrame> frameWindow(const FrameHistory& history, std::int64_t reach,
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

std::vector<ConvolutionFrame> channelsAsFrames(const StripFeatures& x, std::int64_t frames) {
    const std::int64_t channels = x.pixels.extent(3) / frames;
    const auto part = [&](const MatrixView& all, std::int64_t index) {
        return all.rows() == 0 ? MatrixView() : all.columns(index * channels, channels);
    };
    std::vector<ConvolutionFrame> apart;
    for (const ConvolutionFrame& frame : framesOf(x))
        for (std::int64_t index = 0; index < frames; ++index)
            apart.push_back({part(frame.pixels, index), part(frame.left, index), part(frame.right, index)});
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
    m_convolution.apply(chunk.execution, frameWindow(history, reach, strip), x.extent(1), x.extent(2),
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
        std::vector<ConvolutionFrame> frames = framesOf(history.frames().front());
        std::ranges::copy(framesOf({small}), std::back_inserter(frames));
        out = convolve(chunk, *m_time, frames, small.extent(1), small.extent(2), chunk.activations);
    }
    // A copy: the first frame goes on, and the next layer writes over it.
    const std::int64_t last = small.extent(0) - 1;
    history.push({small.slice(last, last + 1).clone()}, kernelExtent - factor);
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
    return convolve(chunk, m_space, channelsAsFrames(doubled, factor), x.extent(1), x.extent(2),
                    chunk.activations);
}

namespace {

struct PixelPlace {
    std::int64_t frame;
    std::int64_t row;
    std::int64_t column;
};

std::int64_t indexOf(const Tensor& features, const PixelPlace& at) {
    return (at.frame * features.extent(1) + at.row) * features.extent(2) + at.column;
}

/// change(place, read, pixel) for every pixel of `sum`: `pixel` holds it as f32 and is stored afterwards,
/// `read` is memory for `readValues` source values.
template <typename Change>
void changePixels(const ChunkContext& chunk, Tensor& sum, std::size_t readValues, Change change) {
    const std::int64_t height = sum.extent(1);
    const MatrixSpan pixels(sum);
    chunk.execution.workers.parallelFor(sum.extent(0) * height, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> read(readValues);
        std::vector<float> pixel(static_cast<std::size_t>(sum.extent(3)));
        for (std::int64_t row = begin; row < end; ++row)
            for (std::int64_t column = 0; column < sum.extent(2); ++column) {
                const PixelPlace at{row / height, row % height, column};
                static_cast<MatrixView>(pixels).readRow(indexOf(sum, at), pixel);
                change(at, std::span(read), std::span(pixel));
                pixels.writeRow(indexOf(sum, at), pixel);
            }
    });
}

GpuFeatures gpuFeatures(const Tensor& features) {
    return {.address = gpuMatrix(MatrixView(features)).address,
            .type = features.dtype(),
            .frames = features.extent(0),
            .height = features.extent(1),
            .width = features.extent(2),
            .channels = features.extent(3)};
}

}  // namespace

Tensor shortcutSource(const ChunkContext& chunk, const Tensor& x) {
    Tensor copy = chunk.pool.take(x.shape(), x.dtype());
    copy.assign(x);
    return copy;
}

AveragingShortcut::AveragingShortcut(const LevelChange& change)
    : m_change(change),
      m_group(static_cast<std::size_t>(change.inChannels * change.pixels() / change.outChannels)) {
    for (std::int64_t channel = 0; channel < change.inChannels; ++channel)
        for (std::int64_t part = 0; part < change.pixels(); ++part)
            m_members.push_back(static_cast<std::size_t>(part * change.inChannels + channel));
}

void AveragingShortcut::addTo(const ChunkContext& chunk, const Tensor& source, Tensor& sum) const {
    if (!sum.isOnHost()) {
        GpuWork& gpu = requireGpu(chunk.execution, {MatrixView(source), MatrixView(sum)});
        return addAveraged(gpu.pipelines(), gpu.stream(), {.time = m_change.time, .space = m_change.space},
                           gpuFeatures(source), gpuFeatures(sum));
    }
    const MatrixView pixels(source);
    const std::int64_t space = m_change.space;
    const std::int64_t missing = sum.extent(0) * m_change.time - source.extent(0);
    const auto channels = static_cast<std::size_t>(m_change.inChannels);
    const auto average = [&](const PixelPlace& at, std::span<float> read, std::span<float> pixel) {
        for (std::int64_t part = 0; part < m_change.pixels(); ++part) {
            const PixelPlace from{at.frame * m_change.time + part / (space * space) - missing,
                                  at.row * space + part / space % space, at.column * space + part % space};
            const std::span<float> to = read.subspan(static_cast<std::size_t>(part) * channels, channels);
            if (from.frame < 0)
                std::ranges::fill(to, 0.0F);
            else
                pixels.readRow(indexOf(source, from), to);
        }
        auto member = m_members.begin();
        for (float& value : pixel) {
            float total = 0.0F;
            for (std::size_t count = 0; count < m_group; ++count)
                total += read[*member++];
            value += total / static_cast<float>(m_group);
        }
    };
    changePixels(chunk, sum, m_members.size(), average);
}

RepeatingShortcut::RepeatingShortcut(const LevelChange& change) : m_change(change) {
    const std::int64_t repeats = change.outChannels * change.pixels() / change.inChannels;
    m_sources.resize(static_cast<std::size_t>(change.pixels()));
    for (std::int64_t channel = 0; channel < change.outChannels; ++channel)
        for (std::int64_t part = 0; part < change.pixels(); ++part)
            m_sources[static_cast<std::size_t>(part)].push_back(
                static_cast<std::size_t>((channel * change.pixels() + part) / repeats));
}

void RepeatingShortcut::addTo(const ChunkContext& chunk, const Tensor& source, Tensor& sum) const {
    if (!sum.isOnHost()) {
        GpuWork& gpu = requireGpu(chunk.execution, {MatrixView(source), MatrixView(sum)});
        return addRepeated(gpu.pipelines(), gpu.stream(), {.time = m_change.time, .space = m_change.space},
                           gpuFeatures(source), gpuFeatures(sum));
    }
    const MatrixView pixels(source);
    const std::int64_t time = m_change.time;
    const std::int64_t space = m_change.space;
    const std::int64_t dropped = source.extent(0) * time - sum.extent(0);
    const auto repeat = [&](const PixelPlace& at, std::span<float> read, std::span<float> pixel) {
        const std::int64_t frame = at.frame + dropped;
        pixels.readRow(indexOf(source, {frame / time, at.row / space, at.column / space}), read);
        const std::int64_t part = (frame % time * space + at.row % space) * space + at.column % space;
        const std::vector<std::size_t>& sources = m_sources[static_cast<std::size_t>(part)];
        for (std::size_t channel = 0; channel < pixel.size(); ++channel)
            pixel[channel] += read[sources[channel]];
    };
    changePixels(chunk, sum, static_cast<std::size_t>(m_change.inChannels), repeat);
}

}  // namespace meshreel
