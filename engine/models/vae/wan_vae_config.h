// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meshreel {

/// The config.json of a Wan VAE, 2.1 or 2.2, as diffusers' AutoencoderKLWan spells its keys; absent keys have
/// its defaults.
struct WanVaeConfig {
    std::int64_t baseDim = 96;
    std::int64_t decoderBaseDim = 96;
    std::int64_t zDim = 16;
    std::vector<std::int64_t> dimMult = {1, 2, 4, 4};
    std::int64_t numResBlocks = 2;
    std::vector<bool> temporalDownsample = {false, true, true};  ///< one per level but the last
    std::int64_t inChannels = 3;                                 ///< of a patch of pixels
    std::int64_t outChannels = 3;
    std::int64_t patchSize = 1;  ///< Wan 2.2 codes squares of 2 × 2 pixels as one
    bool isResidual = false;  ///< Wan 2.2: levels have shortcuts around them, and resampling keeps the width
    std::vector<float> latentsMean;  ///< zDim values
    std::vector<float> latentsStd;   ///< zDim values, positive

    /// `where` names the file in errors. Throws Error{Input} for wrong types or values and for what is not
    /// supported: attn_scales.
    static WanVaeConfig fromJson(const nlohmann::json& json, const std::string& where);

    /// Pixels a latent stands for along one side: those of a patch, times 2 per level but the last.
    [[nodiscard]] std::int64_t spatialFactor() const;
    /// Frames a latent (but the first) stands for.
    [[nodiscard]] std::int64_t temporalFactor() const;
    /// Channels of the videos that are encoded and decoded.
    [[nodiscard]] std::int64_t videoChannelsIn() const { return inChannels / (patchSize * patchSize); }
    [[nodiscard]] std::int64_t videoChannelsOut() const { return outChannels / (patchSize * patchSize); }
};

}  // namespace meshreel
