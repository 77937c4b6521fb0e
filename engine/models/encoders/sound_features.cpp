// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/sound_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/encoders/encoder_weights.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

constexpr double torchNormEpsilon = 1e-5;       // torch's own; the config's is that of the layers
constexpr std::int64_t extractedAtOnce = 512;   // frames, 10 s: some 70 MB behind the first convolution
constexpr std::int64_t convolvedAtOnce = 2048;  // frames of one convolution

/// A weight [out, in, taps] with a tap's channels side by side, [out, taps · in], so that what it sees of
/// frames that follow each other is one piece of memory.
Tensor tapsOutside(const Tensor& weight) {
    const auto out = static_cast<std::size_t>(weight.extent(0));
    const auto in = static_cast<std::size_t>(weight.extent(1));
    const auto taps = static_cast<std::size_t>(weight.extent(2));
    Tensor turned = Tensor::empty({weight.extent(0), weight.extent(2) * weight.extent(1)});
    const auto from = std::as_const(weight).data<float>();
    const auto to = turned.data<float>();
    for (std::size_t row = 0; row < out; ++row)
        for (std::size_t channel = 0; channel < in; ++channel)
            for (std::size_t tap = 0; tap < taps; ++tap)
                to[(row * taps + tap) * in + channel] = from[(row * in + channel) * taps + tap];
    return turned;
}

/// Multiplies `frames` stretches of `matrix.inFeatures()` numbers, of which each begins `step` numbers behind
/// the one before, f32 [frames, outFeatures].
Tensor convolveStretches(const Execution& execution, const PackedMatrix& matrix, const float* from,
                         std::int64_t step, std::int64_t frames) {
    const std::int64_t width = matrix.inFeatures();
    Tensor seen = Tensor::empty({std::min(convolvedAtOnce, frames), width});
    Tensor result = Tensor::empty({frames, matrix.outFeatures()});
    for (std::int64_t first = 0; first < frames; first += convolvedAtOnce) {
        const std::int64_t count = std::min(convolvedAtOnce, frames - first);
        float* to = seen.data<float>().data();
        execution.workers.parallelFor(count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t frame = begin; frame < end; ++frame)
                std::copy_n(from + (first + frame) * step, width, to + frame * width);
        });
        matrix.apply(execution, MatrixView(seen).slice(0, count), MatrixSpan(result).slice(first, count));
    }
    return result;
}

std::string soundConvolutionName(std::size_t index) {
    return fmt::format("feature_extractor.conv_layers.{}.", index);
}

}  // namespace

SoundFeatures::SoundFeatures(const Wav2Vec2Config& config, const Checkpoint& checkpoint) : m_config(config) {
    for (std::size_t index = 0; index < config.channels.size(); ++index)
        m_convolutions.push_back(readConvolution(checkpoint, index));
}

SoundFeatures::Convolution SoundFeatures::readConvolution(const Checkpoint& checkpoint,
                                                          std::size_t index) const {
    const std::string name = soundConvolutionName(index);
    const std::int64_t out = m_config.channels[index];
    const std::int64_t in = index == 0 ? 1 : m_config.channels[index - 1];
    const std::int64_t taps = m_config.kernels[index];
    const Tensor weight = tapsOutside(loadF32(checkpoint, name + "conv.weight", {out, in, taps}));
    std::optional<Tensor> bias;
    if (m_config.convolutionBias)
        bias = loadF32(checkpoint, name + "conv.bias", {out});
    std::optional<Norm> weights;
    if (m_config.layerNorms || index == 0)
        weights = Norm{.gamma = loadF32(checkpoint, name + "layer_norm.weight", {out}),
                       .beta = loadF32(checkpoint, name + "layer_norm.bias", {out})};
    return {.matrix = PackedMatrix::pack(weight, bias ? &*bias : nullptr),
            .taps = taps,
            .stride = m_config.strides[index],
            .norm = std::move(weights)};
}

// In parts, which are added up in their order.
SoundFeatures::ChannelScale SoundFeatures::measureFirst(const Execution& execution,
                                                        std::span<const float> samples) const {
    constexpr std::int64_t partFrames = std::int64_t{1} << 15U;
    const Convolution& first = m_convolutions.front();
    const auto width = static_cast<std::size_t>(first.matrix.outFeatures());
    const std::int64_t frames = (std::ssize(samples) - first.taps) / first.stride + 1;
    std::vector<double> sums(width);
    std::vector<double> squares(width);
    for (std::int64_t begin = 0; begin < frames; begin += partFrames) {
        throwIfStopped(execution.stop);
        const Tensor part = convolveStretches(execution, first.matrix, samples.data() + begin * first.stride,
                                              first.stride, std::min(partFrames, frames - begin));
        const auto values = part.data<float>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i];
            sums[i % width] += value;
            squares[i % width] += value * value;
        }
    }
    ChannelScale scale;
    const auto gamma = std::as_const(first.norm->gamma).data<float>();
    const auto beta = std::as_const(first.norm->beta).data<float>();
    for (std::size_t channel = 0; channel < width; ++channel) {
        const double mean = sums[channel] / static_cast<double>(frames);
        const double variance = std::max(0.0, squares[channel] / static_cast<double>(frames) - mean * mean);
        const double factor = static_cast<double>(gamma[channel]) / std::sqrt(variance + torchNormEpsilon);
        scale.factor.push_back(static_cast<float>(factor));
        scale.term.push_back(static_cast<float>(static_cast<double>(beta[channel]) - mean * factor));
    }
    return scale;
}

void SoundFeatures::norm(const Execution& execution, const Convolution& convolution,
                         const std::optional<ChannelScale>& scale, Tensor& x) const {
    if (!convolution.norm)
        return;
    const std::int64_t width = x.extent(1);
    if (!scale) {
        layerNorm(execution, x.data<float>(), width, torchNormEpsilon,
                  std::as_const(convolution.norm->gamma).data<float>(),
                  std::as_const(convolution.norm->beta).data<float>(), x.data<float>());
        return;
    }
    float* values = x.data<float>().data();
    execution.workers.parallelFor(x.extent(0), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t frame = begin; frame < end; ++frame)
            for (std::int64_t channel = 0; channel < width; ++channel) {
                float& value = values[frame * width + channel];
                const auto at = static_cast<std::size_t>(channel);
                value = value * scale->factor[at] + scale->term[at];
            }
    });
}

std::size_t SoundFeatures::workspaceBytes(const Wav2Vec2Config& config, std::int64_t frames) {
    std::int64_t length = config.samples(std::clamp<std::int64_t>(frames, 1, extractedAtOnce));
    std::int64_t width = 1;
    std::int64_t most = 0;
    for (std::size_t index = 0; index < config.channels.size(); ++index) {
        const std::int64_t made = (length - config.kernels[index]) / config.strides[index] + 1;
        const std::int64_t seen = std::min(made, convolvedAtOnce) * config.kernels[index] * width;
        most = std::max(most, length * width + seen + made * config.channels[index]);
        length = made;
        width = config.channels[index];
    }
    return static_cast<std::size_t>(most) * sizeof(float);
}

Tensor SoundFeatures::extract(const Execution& execution, std::span<const float> samples,
                              const Probe& probe) const {
    const std::int64_t frames = m_config.frames(std::ssize(samples));
    if (frames < 1)
        throw Error(ErrorKind::Input,
                    sentence("the sound has {} samples, and the sound encoder needs at least {}",
                             samples.size(), m_config.samples(1)),
                    "audio_encoder", sentence("Choose a longer sound"));
    std::optional<ChannelScale> scale;
    if (!m_config.layerNorms)
        scale = measureFirst(execution, samples);
    Tensor all = Tensor::empty({frames, m_config.channels.back()});
    for (std::int64_t first = 0; first < frames; first += extractedAtOnce) {
        throwIfStopped(execution.stop);
        const std::int64_t count = std::min(extractedAtOnce, frames - first);
        const auto begin = static_cast<std::size_t>(first * m_config.hop());
        const auto length = static_cast<std::size_t>(m_config.samples(count));
        Tensor x = Tensor::empty({m_config.samples(count), 1});
        std::ranges::copy(samples.subspan(begin, length), x.data<float>().begin());
        for (std::size_t index = 0; index < m_convolutions.size(); ++index) {
            const Convolution& convolution = m_convolutions[index];
            const std::int64_t made = (x.extent(0) - convolution.taps) / convolution.stride + 1;
            x = convolveStretches(execution, convolution.matrix, std::as_const(x).data<float>().data(),
                                  convolution.stride * x.extent(1), made);
            norm(execution, convolution, index == 0 ? scale : std::nullopt, x);
            activate(execution, geluErf, x.data<float>());
            if (probe && index == 0 && first == 0)
                probe("conv0_frames", x);
        }
        all.slice(first, first + count).assign(x);
    }
    return all;
}

namespace {

constexpr const char* positionPrefix = "encoder.pos_conv_embed.conv.";

/// Length (weight_g, one for each tap) times direction (weight_v, of length 1 over all else): torch's weight
/// norm with dim = 2.
Tensor composedWeight(const Tensor& length, const Tensor& direction) {
    const auto taps = static_cast<std::size_t>(direction.extent(2));
    std::vector<double> squares(taps);
    Tensor weight = direction.clone();
    const auto values = weight.data<float>();
    for (std::size_t i = 0; i < values.size(); ++i)
        squares[i % taps] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    const auto lengths = length.data<float>();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(static_cast<double>(values[i]) *
                                       static_cast<double>(lengths[i % taps]) / std::sqrt(squares[i % taps]));
    return weight;
}

/// Returns f32 [hiddenSize, hiddenSize / groups, taps].
Tensor positionWeight(const Wav2Vec2Config& config, const Checkpoint& checkpoint) {
    const std::string prefix = positionPrefix;
    const Shape shape{config.hiddenSize, config.hiddenSize / config.positionGroups, config.positionTaps};
    const Shape lengths{1, 1, config.positionTaps};
    if (checkpoint.has(prefix + "weight"))
        return loadF32(checkpoint, prefix + "weight", shape);
    if (checkpoint.has(prefix + "weight_g"))
        return composedWeight(loadF32(checkpoint, prefix + "weight_g", lengths),
                              loadF32(checkpoint, prefix + "weight_v", shape));
    return composedWeight(loadF32(checkpoint, prefix + "parametrizations.weight.original0", lengths),
                          loadF32(checkpoint, prefix + "parametrizations.weight.original1", shape));
}

}  // namespace

SoundPositions::SoundPositions(const Wav2Vec2Config& config, const Checkpoint& checkpoint)
    : m_taps(config.positionTaps), m_groupWidth(config.hiddenSize / config.positionGroups) {
    const Tensor weight = positionWeight(config, checkpoint);
    const Tensor bias = loadF32(checkpoint, std::string(positionPrefix) + "bias", {config.hiddenSize});
    for (std::int64_t first = 0; first < config.hiddenSize; first += m_groupWidth) {
        const Tensor own = bias.slice(first, first + m_groupWidth);
        m_groups.push_back(PackedMatrix::pack(tapsOutside(weight.slice(first, first + m_groupWidth)), &own));
    }
}

// Frames before the first and behind the last are zeros; of an even number of taps half are before a frame,
// and itself and the others behind.
Tensor SoundPositions::of(const Execution& execution, const Tensor& hidden) const {
    const std::int64_t frames = hidden.extent(0);
    const std::int64_t width = hidden.extent(1);
    const std::int64_t before = m_taps / 2;
    Tensor positions = Tensor::empty(hidden.shape());
    Tensor group = Tensor::zeros({frames + m_taps - 1, m_groupWidth});
    const float* from = hidden.data<float>().data();
    float* to = positions.data<float>().data();
    for (std::size_t index = 0; index < m_groups.size(); ++index) {
        throwIfStopped(execution.stop);
        const std::int64_t column = static_cast<std::int64_t>(index) * m_groupWidth;
        float* own = group.data<float>().data();
        for (std::int64_t frame = 0; frame < frames; ++frame)
            std::copy_n(from + frame * width + column, m_groupWidth, own + (before + frame) * m_groupWidth);
        const Tensor made = convolveStretches(execution, m_groups[index], own, m_groupWidth, frames);
        const float* values = made.data<float>().data();
        for (std::int64_t frame = 0; frame < frames; ++frame)
            std::copy_n(values + frame * m_groupWidth, m_groupWidth, to + frame * width + column);
    }
    activate(execution, geluErf, positions.data<float>());
    return positions;
}

}  // namespace meshreel
