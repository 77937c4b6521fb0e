// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/models/vae/wan_vae_features.h"

namespace meshreel {
namespace {

/// Names of a level's layers. Wan 2.1 numbers the residual blocks and resamplings of all levels in one list,
/// Wan 2.2 groups them by level.
class DownBlockNames {
  public:
    DownBlockNames(bool grouped, std::size_t level, std::size_t firstUnit)
        : m_grouped(grouped), m_group(fmt::format("encoder.down_blocks.{}", level)), m_unit(firstUnit) {}

    [[nodiscard]] std::string residual(std::int64_t index) {
        return m_grouped ? fmt::format("{}.resnets.{}", m_group, index) : nextUnit();
    }
    [[nodiscard]] std::string downsampler() { return m_grouped ? m_group + ".downsampler" : nextUnit(); }

    [[nodiscard]] std::size_t unit() const { return m_unit; }

  private:
    std::string nextUnit() { return fmt::format("encoder.down_blocks.{}", m_unit++); }

    bool m_grouped;
    std::string m_group;
    std::size_t m_unit;
};

}  // namespace

WanVaeEncoder::WanVaeEncoder(const WanVaeConfig& config, const VaeWeights& weights)
    : m_convIn(weights, "encoder.conv_in", config.baseDim, config.inChannels, 3, 3),
      m_firstOfChunks(config.dimMult.size()),
      m_mid(weights, "encoder.mid_block", config.baseDim * config.dimMult.back()),
      m_head(weights, "encoder", 2 * config.zDim, config.baseDim * config.dimMult.back()),
      m_quant(weights.convolution("quant_conv", {2 * config.zDim, 2 * config.zDim, 1, 1, 1})) {
    std::int64_t channels = config.baseDim;
    std::size_t units = 0;
    for (std::size_t index = 0; index < config.dimMult.size(); ++index) {
        const std::int64_t levelChannels = config.baseDim * config.dimMult[index];
        const bool resamples = index + 1 < config.dimMult.size();
        const bool temporal = resamples && config.temporalDownsample[index];
        DownBlockNames names(config.isResidual, index, units);
        Level level;
        level.probe = config.isResidual ? index : units;
        if (config.isResidual)
            level.shortcut.emplace(LevelChange{.inChannels = channels,
                                               .outChannels = levelChannels,
                                               .time = temporal ? 2 : 1,
                                               .space = resamples ? 2 : 1});
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            level.residuals.emplace_back(weights, names.residual(block), channels, levelChannels);
            channels = levelChannels;
        }
        if (resamples)
            level.downsampler.emplace(weights, names.downsampler(), channels, temporal);
        if (temporal)
            m_firstOfChunks = std::min(m_firstOfChunks, index);
        units = names.unit();
        m_levels.push_back(std::move(level));
    }
}

Tensor WanVaeEncoder::applyResiduals(const ChunkContext& chunk, const Level& level, Tensor x) {
    for (std::size_t index = 0; index < level.residuals.size(); ++index) {
        x = level.residuals[index].apply(chunk, std::move(x));
        if (!level.shortcut)
            chunk.record(fmt::format("enc.down{}", level.probe + index), x);
    }
    return x;
}

/// Behind the residual blocks. The shortcut starts from `source`.
Tensor WanVaeEncoder::leaveLevel(const ChunkContext& chunk, const Level& level, const Tensor& source,
                                 Tensor x) {
    if (level.downsampler)
        x = level.downsampler->apply(chunk, x);
    if (level.shortcut) {
        level.shortcut->addTo(chunk, source, x);
        chunk.record(fmt::format("enc.down{}", level.probe), x);
    } else if (level.downsampler) {
        chunk.record(fmt::format("enc.down{}", level.probe + level.residuals.size()), x);
    }
    return x;
}

Tensor WanVaeEncoder::applyLevel(const ChunkContext& chunk, const Level& level, Tensor x) {
    const Tensor source = level.shortcut ? shortcutSource(chunk, x) : Tensor();
    return leaveLevel(chunk, level, source, applyResiduals(chunk, level, std::move(x)));
}

Tensor WanVaeEncoder::apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& pixels) const {
    const Level* split = m_firstOfChunks < m_levels.size() ? &m_levels[m_firstOfChunks] : nullptr;
    std::vector<Tensor> sources;  // frames that the shortcut around this level starts from
    Tensor hidden =
        joinFrames(passFrames(chunk, frames, pixels, [&](const ChunkContext& frame, const Tensor& x) {
            Tensor features = m_convIn.apply(frame, x);
            frame.record("enc.conv_in", features);
            for (std::size_t index = 0; index < m_firstOfChunks; ++index)
                features = applyLevel(frame, m_levels[index], std::move(features));
            if (split == nullptr)
                return features;
            if (split->shortcut)
                sources.push_back(shortcutSource(frame, features));
            return applyResiduals(frame, *split, std::move(features));
        }));
    if (split != nullptr)
        hidden =
            leaveLevel(chunk, *split, split->shortcut ? joinFrames(sources) : Tensor(), std::move(hidden));
    for (std::size_t index = m_firstOfChunks + 1; index < m_levels.size(); ++index)
        hidden = applyLevel(chunk, m_levels[index], std::move(hidden));
    hidden = m_mid.apply(chunk, "enc", std::move(hidden));
    hidden = m_head.apply(chunk, "enc", hidden);
    return convolve(chunk, m_quant, hidden, DType::F32);
}

std::size_t WanVaeEncoder::bytes() const {
    std::size_t total = m_convIn.bytes() + m_mid.bytes() + m_head.bytes() + m_quant.bytes();
    for (const Level& level : m_levels) {
        for (const ResidualBlock& residual : level.residuals)
            total += residual.bytes();
        total += level.downsampler ? level.downsampler->bytes() : 0;
    }
    return total;
}

}  // namespace meshreel
