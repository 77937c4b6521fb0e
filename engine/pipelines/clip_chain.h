// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/estimates/video_shape.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns what a transformer of image to video with Stable Video Infinity's adapters (SVI 2.0 Pro) is given
/// beside its latents: [1, temporalFactor + z, F, h, w], a mask of 1 in latent frame 0 alone, and in latent
/// time the anchor picture, the last `motion` latents of the clip before, and 0. kijai/ComfyUI-KJNodes
/// 3f200540, WanImageToVideoSVIPro; the zeros are those of the normalised latents, not a grey picture's.
/// `anchor` [1, z, 1, h, w], `before` [1, z, any, h, w], none for the first clip.
Tensor chainChannels(const Tensor& anchor, const std::optional<Tensor>& before, std::int64_t motion,
                     std::int64_t latentFrames, std::int64_t temporalFactor);

/// Conditions a clip of a chain: the anchor is inputs.image; the clip before gives its last latent, or its
/// frames to encode, whose last latent counts.
VisualConditioning conditionOnChain(const VisualInputs& inputs, const VideoGeometry& geometry,
                                    const EncodeVideo& encode);

}  // namespace meshreel
