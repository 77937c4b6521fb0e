// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_encoder.h"

#include <fmt/format.h>

#include <utility>

#include "engine/models/wan_vae_features.h"

namespace meshreel {

WanVaeEncoder::WanVaeEncoder(const WanVaeConfig& config, const VaeWeights& weights)
    : m_convIn(weights, "encoder.conv_in", config.baseDim, config.inChannels, 3, 3),
      m_mid(weights, "encoder.mid_block", config.baseDim * config.dimMult.back()),
      m_head(weights, "encoder", 2 * config.zDim, config.baseDim * config.dimMult.back()),
      m_quant(weights.convolution("quant_conv", {2 * config.zDim, 2 * config.zDim, 1, 1, 1})) {
    std::int64_t channels = config.baseDim;
    const auto nextName = [&] { return fmt::format("encoder.down_blocks.{}", m_downBlocks.size()); };
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        const std::int64_t levelChannels = config.baseDim * config.dimMult[level];
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            m_downBlocks.emplace_back(std::in_place_type<ResidualBlock>, weights, nextName(), channels,
                                      levelChannels);
            channels = levelChannels;
        }
        if (level + 1 < config.dimMult.size()) {
            if (config.temporalDownsample[level] && !m_firstOfChunks)
                m_firstOfChunks = m_downBlocks.size();
            m_downBlocks.emplace_back(std::in_place_type<Downsampler>, weights, nextName(), channels,
                                      config.temporalDownsample[level]);
        }
    }
}

Tensor WanVaeEncoder::applyBlock(const ChunkContext& chunk, std::size_t index, Tensor x) const {
    x = std::visit([&](const auto& block) { return block.apply(chunk, std::move(x)); }, m_downBlocks[index]);
    chunk.record(fmt::format("enc.down{}", index), x);
    return x;
}

Tensor WanVaeEncoder::apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& pixels) const {
    const std::size_t ofFrames = m_firstOfChunks.value_or(m_downBlocks.size());
    Tensor hidden =
        joinFrames(passFrames(chunk, frames, pixels, [&](const ChunkContext& frame, const Tensor& x) {
            Tensor features = m_convIn.apply(frame, x);
            frame.record("enc.conv_in", features);
            for (std::size_t index = 0; index < ofFrames; ++index)
                features = applyBlock(frame, index, std::move(features));
            return features;
        }));
    for (std::size_t index = ofFrames; index < m_downBlocks.size(); ++index)
        hidden = applyBlock(chunk, index, std::move(hidden));
    hidden = m_mid.apply(chunk, "enc", std::move(hidden));
    hidden = m_head.apply(chunk, "enc", hidden);
    return convolve(chunk, m_quant, hidden, DType::F32);
}

std::size_t WanVaeEncoder::bytes() const {
    std::size_t total = m_convIn.bytes() + m_mid.bytes() + m_head.bytes() + m_quant.bytes();
    for (const DownBlock& downBlock : m_downBlocks)
        total += std::visit([](const auto& block) { return block.bytes(); }, downBlock);
    return total;
}

}  // namespace meshreel
