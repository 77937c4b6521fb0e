// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Normalised latents [1, z, F, H, W] of pixels [1, 3, T, H, W].
using EncodeVideo = std::function<Tensor(const Tensor& video)>;

/// Frames of a clip that are given, one after the other.
struct GivenStretch {
    std::int64_t first = 0;  ///< frame of the clip that the first of them is, counted from 0
    Tensor pixels;           ///< f32 [1, 3, n, H, W] in [-1, 1]
    /// For a mask of channels: what marks all of the latents that the frames lie in, for each of two experts.
    /// Absent: 1 marks the frames themselves.
    std::optional<std::array<float, 2>> marks = {};

    /// Returns the frame behind them.
    [[nodiscard]] std::int64_t end() const { return first + pixels.extent(2); }
};

/// By their frames; no two of them overlap.
using GivenFrames = std::vector<GivenStretch>;

/// Latent frames that are given, one after the other.
struct GivenLatents {
    std::int64_t first = 0;  ///< latent frame of the clip
    Tensor latents;          ///< f32 [1, z, n, h, w], normalised
};

/// Returns a video f32 [1, 3, T, H, W] of the given frames at their places, grey (0) elsewhere.
Tensor givenVideo(const GivenFrames& given, const VideoGeometry& geometry);

/// Returns [1, temporalFactor, F, height, width]: how far each pixel frame is given to an expert, 1 or 2. Row
/// r stands for channel r % temporalFactor of latent frame r / temporalFactor; frame 0 is the first
/// temporalFactor rows, frame f ≥ 1 row f + temporalFactor - 1. Wan's image to video for its first and last
/// frame (WanFirstLastFrameToVideo of ComfyUI a125cd84), and ComfyUI-Wan22FMLF 83861c5 for marks.
Tensor givenMask(const GivenFrames& given, const VideoGeometry& geometry, std::int64_t height,
                 std::int64_t width, int expert = 1);

/// Puts the given frames into a video [1, 3, T, H, W], and 0 into its mask, where 1 is made anew, there.
void putGiven(const GivenFrames& given, Tensor& video, Tensor& mask);

/// Encodes the given frames to latents for their places. Those at the beginning, and a single frame at the
/// end, are encoded as they are. Others follow their first frame, whose latent is dropped, as latents of a
/// causal VAE do; their last frame fills up their last latent.
std::vector<GivenLatents> encodeGiven(const GivenFrames& given, const VideoGeometry& geometry,
                                      const EncodeVideo& encode);

/// Returns latents [rows, z, F, h, w] with what is given in its places.
Tensor withGiven(const Tensor& latents, const std::vector<GivenLatents>& given);

}  // namespace meshreel
