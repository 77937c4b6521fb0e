// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace meshreel {

class ConfigReader;

/// What Wan 2.2's S2V transformer (WanModel_S2V of Wan-Video/Wan2.2, wan/modules/s2v/model_s2v.py) has beside
/// WanTransformer3DModel; keys of its config.json in the comments. The defaults are those of the released
/// model.
struct SoundConfig {
    std::int64_t width = 1024;       ///< audio_dim: of the sound encoder's hidden states
    std::int64_t states = 25;        ///< hidden states that are mixed; shown by the weights alone
    std::int64_t localTokens = 4;    ///< num_audio_token: of a latent frame, beside the learned one
    std::int64_t poseChannels = 16;  ///< cond_dim: of the pose video's latents
    /// audio_inject_layers, ascending: an injector follows each of these blocks.
    std::vector<std::int64_t> layers = {0, 4, 8, 12, 16, 20, 24, 27, 30, 33, 36, 39};

    static constexpr std::int64_t columnsPerFrame = 4;  ///< of sound, for each latent frame
    /// Repetitions of the first column that stand before a clip's, and the latent frames that they make.
    static constexpr std::int64_t leadColumns = 73;
    /// The place in time of the reference picture's tokens, in latent frames.
    static constexpr std::int64_t referenceFrame = 30;

    /// Returns the tokens of sound that those of a latent frame attend to.
    [[nodiscard]] std::int64_t tokensPerFrame() const { return localTokens + 1; }

    /// Latent frames that a convolution of stride 4 makes of so many columns.
    static constexpr std::int64_t framesOf(std::int64_t columns) {
        return (columns + columnsPerFrame - 1) / columnsPerFrame;
    }

    /// Returns the blocks that a released model of so many injectors has them behind; empty where none is
    /// known.
    static std::vector<std::int64_t> layersOf(std::int64_t injectors);

    /// `blocks` of the transformer. Throws Error{Input} naming the key that is out of range or asks for a
    /// variant that was never released.
    static SoundConfig read(const nlohmann::json& json, const ConfigReader& reader, std::int64_t blocks);

    friend bool operator==(const SoundConfig&, const SoundConfig&) = default;
};

/// Frames of a clip that an S2V model makes at a time; the first clip's first ones are not shown.
inline constexpr std::int64_t speechClipFrames = 80;
inline constexpr std::int64_t speechClipsUnshown = 3;

/// Latent frames of a clip.
inline constexpr std::int64_t speechClipLatents = speechClipFrames / SoundConfig::columnsPerFrame;

/// How latent frames of motion before a clip are packed into tokens: the older, the coarser.
struct MotionPacking {
    std::int64_t frames;       ///< latent frames that it takes
    std::int64_t patchFrames;  ///< latent frames of a token
    std::int64_t patchSide;    ///< rows, and columns, of a token
    const char* projection;    ///< "frame_packer.proj": [innerDim, channels, patchFrames, side, side]
};

/// In the order of their tokens, from the frame before the clip backwards (FramePackMotioner of
/// wan/modules/s2v/motioner.py, zip_frame_buckets 1, 2, 16).
inline constexpr std::array<MotionPacking, 3> motionPackings{{
    {.frames = 1, .patchFrames = 1, .patchSide = 2, .projection = "frame_packer.proj"},
    {.frames = 2, .patchFrames = 2, .patchSide = 4, .projection = "frame_packer.proj_2x"},
    {.frames = 16, .patchFrames = 4, .patchSide = 8, .projection = "frame_packer.proj_4x"},
}};

/// Latent frames of motion that all packings take together.
inline constexpr std::int64_t motionLatentFrames = 19;

/// Frames of a video that these are encoded from.
inline constexpr std::int64_t motionVideoFrames = 4 * (motionLatentFrames - 1) + 1;

}  // namespace meshreel
