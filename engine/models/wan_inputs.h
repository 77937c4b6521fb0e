// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/models/wan_transformer_config.h"
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

    /// Zeros with one token of text (and of each image as many as the model has positions for, or one): what
    /// a warm-up needs.
    static WanConditions zeros(const WanTransformerConfig& config, std::int64_t videos);
};

/// What a forward pass is given of a device's videos, whole on every device of the context and tensor axes.
struct WanInputs {
    Tensor latents;    ///< [B, inChannels, F, H, W]; F, H and W divisible by the patch
    Tensor timesteps;  ///< f32 or I64: [B], or [B, tokens] with one for each token (frame, then row, then
                       ///< column), as TI2V wants them
};

}  // namespace meshreel
