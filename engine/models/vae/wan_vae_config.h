// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace meshreel {

/// TAEHV (taew2_1, taew2_2), a small network that was trained to decode as a Wan VAE does. Each of its levels
/// enlarges, and some lengthen time.
struct TinyDecoderConfig {
    std::vector<std::int64_t> widths = {256, 128, 64, 64};  ///< widths of the levels, and after the last
    /// Makes one frame of each latent, and does not enlarge at the last level: a quarter of the pixels, from
    /// the same weights.
    bool preview = false;
};

/// The config.json of a Wan VAE, 2.1 or 2.2, with the keys and defaults of diffusers' AutoencoderKLWan. For
/// class TAEHV it is that of a small decoder, with its widths in `decoder_widths`.
struct WanVaeConfig {
    std::int64_t baseDim = 96;
    std::int64_t decoderBaseDim = 96;
    std::int64_t zDim = 16;
    std::vector<std::int64_t> dimMult = {1, 2, 4, 4};
    std::int64_t numResBlocks = 2;
    /// One per level but the last, in the encoder's order; in a small decoder's own.
    std::vector<bool> temporalDownsample = {false, true, true};
    std::int64_t inChannels = 3;  ///< channels of a patch of pixels
    std::int64_t outChannels = 3;
    std::int64_t patchSize = 1;  ///< Wan 2.2 codes squares of 2 × 2 pixels as one
    bool isResidual = false;  ///< Wan 2.2: levels have shortcuts around them, and resampling keeps the width
    std::vector<float> latentsMean;              ///< zDim values
    std::vector<float> latentsStd;               ///< zDim values, positive
    std::optional<TinyDecoderConfig> tiny = {};  ///< replaces encoder and decoder

    /// `where` names the file in errors. Throws Error{Input} for wrong types or values and for what is not
    /// supported: attn_scales.
    static WanVaeConfig fromJson(const nlohmann::json& json, const std::string& where);

    /// Returns whether there is an encoder.
    [[nodiscard]] bool encodes() const { return !tiny.has_value(); }
    /// Returns a small decoder's config for previews; see TinyDecoderConfig::preview.
    [[nodiscard]] WanVaeConfig forPreview() const;

    /// Pixels a latent stands for along one side: those of a patch, times 2 per level but the last.
    [[nodiscard]] std::int64_t spatialFactor() const;
    /// Returns the frames a latent (but the first) stands for.
    [[nodiscard]] std::int64_t temporalFactor() const;
    /// Latent columns on each side that a strip of a decoded frame depends on after the middle block, whose
    /// attention sees all. Not for a small decoder.
    [[nodiscard]] std::int64_t decodeReach() const;
    /// Channels of the videos that are encoded and decoded.
    [[nodiscard]] std::int64_t videoChannelsIn() const { return inChannels / (patchSize * patchSize); }
    [[nodiscard]] std::int64_t videoChannelsOut() const { return outChannels / (patchSize * patchSize); }
};

}  // namespace meshreel
