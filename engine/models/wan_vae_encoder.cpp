// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_encoder.h"

#include <fmt/format.h>

namespace meshreel {

WanVaeEncoder::WanVaeEncoder(const WanVaeConfig& config, const Checkpoint& checkpoint)
    : m_convIn(checkpoint, "encoder.conv_in", config.baseDim, config.inChannels, 3, 3),
      m_mid(checkpoint, "encoder.mid_block", config.baseDim * config.dimMult.back()),
      m_head(checkpoint, "encoder", 2 * config.zDim, config.baseDim * config.dimMult.back()),
      m_quant(loadConvolution(checkpoint, "quant_conv", {2 * config.zDim, 2 * config.zDim, 1, 1, 1})) {
    std::int64_t channels = config.baseDim;
    const auto nextName = [&] { return fmt::format("encoder.down_blocks.{}", m_downBlocks.size()); };
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        const std::int64_t levelChannels = config.baseDim * config.dimMult[level];
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            m_downBlocks.emplace_back(std::in_place_type<ResidualBlock>, checkpoint, nextName(), channels,
                                      levelChannels);
            channels = levelChannels;
        }
        if (level + 1 < config.dimMult.size())
            m_downBlocks.emplace_back(std::in_place_type<Downsampler>, checkpoint, nextName(), channels,
                                      config.temporalDownsample[level]);
    }
}

Tensor WanVaeEncoder::apply(const ChunkContext& chunk, const Tensor& pixels) const {
    Tensor hidden = m_convIn.apply(chunk, pixels);
    chunk.record("enc.conv_in", hidden);
    for (std::size_t index = 0; index < m_downBlocks.size(); ++index) {
        hidden =
            std::visit([&](const auto& block) { return block.apply(chunk, hidden); }, m_downBlocks[index]);
        chunk.record(fmt::format("enc.down{}", index), hidden);
    }
    hidden = m_mid.apply(chunk, "enc", hidden);
    hidden = m_head.apply(chunk, "enc", hidden);
    return convolve(chunk, m_quant, hidden);
}

std::size_t WanVaeEncoder::bytes() const {
    std::size_t total = m_convIn.bytes() + m_mid.bytes() + m_head.bytes() + m_quant.bytes();
    for (const DownBlock& downBlock : m_downBlocks)
        total += std::visit([](const auto& block) { return block.bytes(); }, downBlock);
    return total;
}

}  // namespace meshreel
