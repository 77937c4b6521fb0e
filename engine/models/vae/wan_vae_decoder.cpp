// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_decoder.h"

#include <fmt/format.h>

#include <utility>

#include "engine/models/vae/wan_vae_features.h"

namespace meshreel {

WanVaeDecoder::WanVaeDecoder(const WanVaeConfig& config, const VaeWeights& weights)
    : m_postQuant(weights.convolution("post_quant_conv", {config.zDim, config.zDim, 1, 1, 1})),
      m_convIn(weights, "decoder.conv_in", config.decoderBaseDim * config.dimMult.back(), config.zDim, 3, 3),
      m_mid(weights, "decoder.mid_block", config.decoderBaseDim * config.dimMult.back()),
      m_head(weights, "decoder", config.outChannels, config.decoderBaseDim * config.dimMult.front()) {
    const std::size_t levels = config.dimMult.size();
    std::int64_t channels = config.decoderBaseDim * config.dimMult.back();
    for (std::size_t index = 0; index < levels; ++index) {
        const std::size_t level =
            levels - 1 - index;  // the decoder climbs the levels that the encoder went down
        const std::string name = fmt::format("decoder.up_blocks.{}", index);
        const std::int64_t levelChannels = config.decoderBaseDim * config.dimMult[level];
        const bool temporal = level > 0 && config.temporalDownsample[level - 1];
        UpBlock block;
        if (config.isResidual && level > 0)
            block.shortcut.emplace(LevelChange{
                .inChannels = channels, .outChannels = levelChannels, .time = temporal ? 2 : 1, .space = 2});
        for (std::int64_t residual = 0; residual <= config.numResBlocks; ++residual) {
            block.residuals.emplace_back(weights, fmt::format("{}.resnets.{}", name, residual), channels,
                                         levelChannels);
            channels = levelChannels;
        }
        if (level > 0) {
            const std::int64_t narrower = config.isResidual ? channels : channels / 2;
            block.upsampler.emplace(weights, name + (config.isResidual ? ".upsampler" : ".upsamplers.0"),
                                    channels, narrower, temporal);
            channels = narrower;
            if (temporal)
                m_firstOfFrames = index + 1;
        }
        m_upBlocks.push_back(std::move(block));
    }
}

Tensor WanVaeDecoder::applyBlock(const ChunkContext& chunk, std::size_t index, Tensor x) const {
    const UpBlock& block = m_upBlocks[index];
    const Tensor source = block.shortcut ? shortcutSource(chunk, x) : Tensor();
    for (const ResidualBlock& residual : block.residuals)
        x = residual.apply(chunk, std::move(x));
    if (block.upsampler)
        x = block.upsampler->apply(chunk, x);
    if (block.shortcut)
        block.shortcut->addTo(chunk, source, x);
    chunk.record(fmt::format("dec.up{}", index), x);
    return x;
}

Tensor WanVaeDecoder::apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& latents) const {
    Tensor hidden = convolve(chunk, m_postQuant, latents);
    chunk.record("dec.post_quant", hidden);
    hidden = m_convIn.apply(chunk, hidden);
    chunk.record("dec.conv_in", hidden);
    hidden = m_mid.apply(chunk, "dec", std::move(hidden));
    for (std::size_t index = 0; index < m_firstOfFrames; ++index)
        hidden = applyBlock(chunk, index, std::move(hidden));
    return joinFrames(passFrames(chunk, frames, hidden, [&](const ChunkContext& frame, Tensor pixels) {
        for (std::size_t index = m_firstOfFrames; index < m_upBlocks.size(); ++index)
            pixels = applyBlock(frame, index, std::move(pixels));
        return m_head.apply(frame, "dec", pixels);
    }));
}

std::size_t WanVaeDecoder::bytes() const {
    std::size_t total = m_postQuant.bytes() + m_convIn.bytes() + m_mid.bytes() + m_head.bytes();
    for (const UpBlock& block : m_upBlocks) {
        for (const ResidualBlock& residual : block.residuals)
            total += residual.bytes();
        total += block.upsampler ? block.upsampler->bytes() : 0;
    }
    return total;
}

}  // namespace meshreel
