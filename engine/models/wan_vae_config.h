// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace meshreel {

/// The Wan 2.1 VAE's config.json, as diffusers' AutoencoderKLWan spells its keys; absent keys have its
/// defaults.
struct WanVaeConfig {
    std::int64_t baseDim = 96;
    std::int64_t decoderBaseDim = 96;
    std::int64_t zDim = 16;
    std::vector<std::int64_t> dimMult = {1, 2, 4, 4};
    std::int64_t numResBlocks = 2;
    std::vector<bool> temporalDownsample = {false, true, true};  ///< one per level but the last
    std::int64_t inChannels = 3;
    std::int64_t outChannels = 3;
    std::vector<float> latentsMean;  ///< zDim values
    std::vector<float> latentsStd;   ///< zDim values, positive

    /// `where` names the file in errors. Throws Error{Input} for wrong types or values and for what is not
    /// supported: is_residual and patch_size (the Wan 2.2 VAE), attn_scales.
    static WanVaeConfig fromJson(const nlohmann::json& json, const std::string& where);

    /// Pixels a latent stands for along one side: 2 per level but the last.
    [[nodiscard]] std::int64_t spatialFactor() const;
    /// Frames a latent (but the first) stands for.
    [[nodiscard]] std::int64_t temporalFactor() const;
};

}  // namespace meshreel
