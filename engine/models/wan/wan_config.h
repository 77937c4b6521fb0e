// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/models/sound/sound_config.h"

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
    std::int64_t blocksPerAdapter = 5;  ///< inject_face_latents_blocks: an adapter follows every so many

    static constexpr int motionLinears = 5;  ///< between a face's features and its directions

    /// Returns the tokens of one latent frame's face: one for each head, and a learned one.
    [[nodiscard]] std::int64_t faceTokens() const { return heads + 1; }

    /// Latent frames that a face video of so many frames is encoded to, with the zero frame in front, which
    /// belongs to the reference image.
    static std::int64_t latentFrames(std::int64_t faceFrames);

    /// `json` is what the reader reads. Throws Error{Input} naming the key.
    static AnimateConfig read(const nlohmann::json& json, const ConfigReader& reader, std::int64_t blocks);

    friend bool operator==(const AnimateConfig&, const AnimateConfig&) = default;
};

/// The layer that makes tokens of latents.
enum class PatchEmbedding : std::uint8_t {
    Video,      ///< patch_embedding, of inChannels
    Reference,  ///< ref_conv, of referenceChannels
    Motion,     ///< of an S2V model: frames before the video, the older the coarser (motionPackings)
};

/// config.json of diffusers' WanTransformer3DModel, WanVACETransformer3DModel or
/// WanAnimateTransformer3DModel, or of a WanS2VTransformer3DModel; keys in the comments.
struct WanTransformerConfig {
    std::array<std::int64_t, 3> patch = {1, 2, 2};  ///< patch_size: frames, rows, columns of one token
    std::int64_t heads = 40;                        ///< num_attention_heads
    std::int64_t headDim = 128;                     ///< attention_head_dim
    std::int64_t inChannels = 16;                   ///< in_channels
    std::int64_t outChannels = 16;                  ///< out_channels
    std::int64_t textDim = 4096;                    ///< text_dim
    std::int64_t freqDim = 256;                     ///< freq_dim: width of the timestep sinusoid
    std::int64_t ffnDim = 13824;                    ///< ffn_dim
    std::int64_t layers = 40;                       ///< num_layers
    bool crossAttentionNorm = true;                 ///< cross_attn_norm
    bool qkNorm = true;                             ///< qk_norm is "rms_norm_across_heads" (null otherwise)
    double epsilon = 1e-6;                          ///< eps
    std::int64_t rotaryMaxLength = 1024;            ///< rope_max_seq_len: patches along one axis
    std::int64_t imageDim = 0;        ///< image_dim: width of image embeddings; 0: the model takes none
    std::int64_t addedKvDim = 0;      ///< added_kv_proj_dim: input of the image's keys and values
    std::int64_t imagePositions = 0;  ///< pos_embed_seq_len: tokens of two images together; 0: of a single
                                      ///< image, any number

    /// vace_layers, ascending from 0: the hint of a VACE block is added after each of these blocks
    std::vector<std::int64_t> vaceLayers = {};
    std::int64_t vaceChannels = 0;              ///< vace_in_channels: of the control; 0 without VACE
    std::int64_t referenceChannels = 0;         ///< in_dim_ref_conv of VideoX-Fun: of a reference picture's
                                                ///< latents, which ref_conv embeds; 0 without ref_conv
    std::optional<AnimateConfig> animate = {};  ///< what a WanAnimateTransformer3DModel has besides
    std::optional<SoundConfig> sound = {};      ///< what a WanS2VTransformer3DModel has besides

    [[nodiscard]] std::int64_t innerDim() const { return heads * headDim; }
    [[nodiscard]] std::int64_t patchElements() const { return patch[0] * patch[1] * patch[2]; }
    /// Channels of the latents that a layer makes tokens of.
    [[nodiscard]] std::int64_t channelsOf(PatchEmbedding embedding) const {
        return embedding == PatchEmbedding::Reference ? referenceChannels : inChannels;
    }
    /// Tokens of the image (of both images together) that cross-attention attends to; 0 without one.
    [[nodiscard]] std::int64_t imageTokens() const;

    /// Reads the config. `_class_name` names the model's class, otherwise keys that only one class has
    /// (vace_layers, motion_encoder_size, audio_inject_layers). Absent keys take upstream's defaults for the
    /// class. Throws Error{Input} at `where` naming the key that is out of range, or contradicts another.
    static WanTransformerConfig fromJson(const nlohmann::json& json, const std::string& where);

    friend bool operator==(const WanTransformerConfig&, const WanTransformerConfig&) = default;
};

}  // namespace meshreel
