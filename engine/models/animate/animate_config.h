// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace meshreel {

class ConfigReader;

/// What diffusers' WanAnimateTransformer3DModel has beside WanTransformer3DModel; keys of its config.json in
/// the comments. The defaults are those of the released model.
struct AnimateConfig {
    std::int64_t poseChannels = 16;  ///< latent_channels: of the pose video's latents
    std::int64_t faceSide = 512;  ///< motion_encoder_size: pixels of a face image, a power of two from 8 on
    /// motion_encoder_channel_sizes of the sides faceSide, faceSide / 2 … 4: features of the motion encoder.
    std::vector<std::int64_t> channels = {32, 64, 128, 256, 512, 512, 512, 512};
    std::int64_t styleDim = 512;        ///< motion_style_dim
    std::int64_t directions = 20;       ///< motion_dim: of motion, that a face is decomposed into
    std::int64_t motionDim = 512;       ///< motion_encoder_dim: features of a face's motion
    std::int64_t hiddenDim = 1024;      ///< face_encoder_hidden_dim
    std::int64_t heads = 4;             ///< face_encoder_num_heads
    std::int64_t blocksPerAdapter = 5;  ///< inject_face_latents_blocks: an adapter is behind every so many

    static constexpr int motionLinears = 5;  ///< between a face's features and its directions

    /// Tokens of one latent frame's face: one for each head, and a learned one.
    [[nodiscard]] std::int64_t faceTokens() const { return heads + 1; }

    /// Latent frames that a face video of so many frames is encoded to, with the zero frame in front, which
    /// belongs to the reference image.
    static std::int64_t latentFrames(std::int64_t faceFrames);

    /// `json` is what the reader reads. Throws Error{Input} naming the key.
    static AnimateConfig read(const nlohmann::json& json, const ConfigReader& reader, std::int64_t blocks);

    friend bool operator==(const AnimateConfig&, const AnimateConfig&) = default;
};

}  // namespace meshreel
