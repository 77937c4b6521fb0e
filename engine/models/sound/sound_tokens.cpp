// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/sound/sound_tokens.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

constexpr double soundNormEpsilon = 1e-6;
constexpr std::int64_t soundHalving = 2;

void normAndActivateSound(const Execution& execution, Tensor& x) {
    layerNorm(execution, x.data<float>(), x.extent(1), soundNormEpsilon, {}, {}, x.data<float>());
    activate(execution, silu, x.data<float>());
}

}  // namespace

SoundTokenEncoder::SoundTokenEncoder(const SoundConfig& config, const LayerTensors& tensors)
    : m_config(config),
      m_mixture(tensors.get("casual_audio_encoder.weights")),
      m_heads(tensors, "casual_audio_encoder.encoder.conv1_local.conv", 1),
      m_whole(tensors, "casual_audio_encoder.encoder.conv1_global.conv", 1),
      m_second(tensors, "casual_audio_encoder.encoder.conv2.conv", soundHalving),
      m_third(tensors, "casual_audio_encoder.encoder.conv3.conv", soundHalving),
      m_out(tensors.linear("casual_audio_encoder.encoder.final_linear")),
      m_learned(tensors.get("casual_audio_encoder.encoder.padding_tokens")) {}

// The mixture's weights are silu(w), divided by their sum.
Tensor SoundTokenEncoder::mixed(const Tensor& sound) const {
    const auto states = static_cast<std::size_t>(sound.extent(0));
    const auto width = static_cast<std::size_t>(sound.extent(1));
    const auto columns = static_cast<std::size_t>(sound.extent(2));
    std::vector<double> weights;
    double sum = 0;
    for (const float value : m_mixture.data<float>()) {
        const auto logit = static_cast<double>(value);
        weights.push_back(logit / (1.0 + std::exp(-logit)));
        sum += weights.back();
    }
    std::vector<double> mixture(width * columns);  // [width, columns]
    const auto from = sound.data<float>();
    for (std::size_t state = 0; state < states; ++state) {
        const double weight = weights[state] / sum;
        for (std::size_t i = 0; i < mixture.size(); ++i)
            mixture[i] += weight * static_cast<double>(from[state * mixture.size() + i]);
    }
    Tensor result = Tensor::empty({sound.extent(2), sound.extent(1)});
    const auto to = result.data<float>();
    for (std::size_t i = 0; i < mixture.size(); ++i)
        to[i % columns * width + i / columns] = static_cast<float>(mixture[i]);
    return result;
}

Tensor SoundTokenEncoder::halvedTwice(const Execution& execution, Tensor x) const {
    normAndActivateSound(execution, x);
    for (const TimeConvolution* convolution : {&m_second, &m_third}) {
        x = convolution->apply(execution, x);
        normAndActivateSound(execution, x);
    }
    return x;
}

SoundTokens SoundTokenEncoder::encode(const Execution& execution, const Tensor& sound) const {
    const std::int64_t batch = sound.extent(0);
    const std::int64_t frames = SoundConfig::framesOf(sound.extent(3));
    const std::int64_t innerDim = m_learned.elements();
    SoundTokens tokens{.local = Tensor::empty({batch, frames, m_config.tokensPerFrame(), innerDim}),
                       .global = Tensor::empty({batch, frames, innerDim})};
    auto toLocal = tokens.local.data<float>().begin();
    auto toGlobal = tokens.global.data<float>().begin();
    for (std::int64_t video = 0; video < batch; ++video) {
        const Tensor mixture = mixed(
            sound.slice(video, video + 1).reshaped({sound.extent(1), sound.extent(2), sound.extent(3)}));
        const Tensor all = m_heads.apply(execution, mixture);
        const std::int64_t headWidth = all.extent(1) / m_config.localTokens;
        std::vector<Tensor> heads;
        for (std::int64_t head = 0; head < m_config.localTokens; ++head)
            heads.push_back(halvedTwice(execution, copiedColumns(all, head * headWidth, headWidth)));
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            for (const Tensor& head : heads)
                toLocal = std::ranges::copy(head.slice(frame, frame + 1).data<float>(), toLocal).out;
            toLocal = std::ranges::copy(m_learned.data<float>(), toLocal).out;
        }
        const Tensor whole = halvedTwice(execution, m_whole.apply(execution, mixture));
        Tensor projected = Tensor::empty(whole.shape());
        m_out.apply(execution, MatrixView(whole), MatrixSpan(projected));
        toGlobal = std::ranges::copy(std::as_const(projected).data<float>(), toGlobal).out;
    }
    return tokens;
}

SoundTokens SoundTokenEncoder::encodeClip(const Execution& execution, const Tensor& sound,
                                          std::int64_t lead) const {
    const SoundTokens all = encode(execution, withLead(sound, lead));
    const std::int64_t dropped = SoundConfig::framesOf(lead);
    return {.local = sliced(all.local, 1, dropped, all.local.extent(1)),
            .global = sliced(all.global, 1, dropped, all.global.extent(1))};
}

Tensor withLead(const Tensor& sound, std::int64_t lead) {
    const std::int64_t columns = sound.extent(3);
    const std::int64_t rows = sound.elements() / std::max<std::int64_t>(1, columns);
    Tensor longer = Tensor::empty(sound.shape().with(3, columns + lead));
    const auto from = sound.data<float>();
    auto to = longer.data<float>().begin();
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto own =
            from.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns));
        to = std::fill_n(to, lead, own.front());
        to = std::ranges::copy(own, to).out;
    }
    return longer;
}

}  // namespace meshreel
