// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What a device's videos are made of that no step changes and the halves of guidance may differ in:
/// WanTransformer::prepare() makes a WanContext of it, once per run. B is the number of the device's videos.
struct WanConditions {
    Tensor text;  ///< f32 [B, L, textDim], any L; padding rows are tokens like the others

    /// CLIP's hidden states, f32 [B, imageTokens, imageDim]; of a model with pos_embed_seq_len [2B,
    /// imageTokens, imageDim], each video's first and last frame in rows 2b and 2b + 1. Present iff the model
    /// has image_dim.
    std::optional<Tensor> image = {};

    /// Of an Animate model: the face video's pixels in [-1, 1], f32 [B, 3, S, faceSide, faceSide] with S = 4
    /// · (F - 2) + 1 for latents of F frames.
    std::optional<Tensor> faces = {};

    /// Zeros with one token of text (and of each image as many as the model has positions for, or one): what
    /// a warm-up needs. Faces are as many as go with `latentFrames`.
    static WanConditions zeros(const WanTransformerConfig& config, std::int64_t videos,
                               std::int64_t latentFrames = 2);
};

/// What a forward pass is given of a device's videos, whole on every device of the context and tensor axes.
struct WanInputs {
    Tensor latents;    ///< [B, inChannels, F, H, W]; F, H and W divisible by the patch
    Tensor timesteps;  ///< f32 or I64: [B], or [B, tokens] with one for each token (frame, then row, then
                       ///< column), as TI2V wants them

    /// Of a VACE model: [B, vaceChannels, F', H, W], F' <= F; frames beyond have no control. Present iff the
    /// model has VACE blocks.
    std::optional<Tensor> control = {};
    std::vector<float> controlScales = {};  ///< one for each VACE block; empty: 1

    /// Of an Animate model: the pose video's latents [B, poseChannels, F - 1, H, W], which go with the frames
    /// behind the first one. Present iff the model is one.
    std::optional<Tensor> pose = {};

    /// Zeros of latents [B, inChannels, F, H, W] at time 0, with what else the model needs.
    static WanInputs zeros(const WanTransformerConfig& config, std::int64_t videos, std::int64_t frames,
                           std::int64_t rows, std::int64_t columns);
};

}  // namespace meshreel
