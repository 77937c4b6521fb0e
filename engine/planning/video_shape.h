// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/planning/model/model_facts.h"
#include "engine/project/project.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Of the video that is made, and how latents stand for it.
struct VideoGeometry {
    std::int64_t frames = 0;  ///< pixel frames
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t spatialFactor = 8;   ///< pixels of a latent along a side
    std::int64_t temporalFactor = 4;  ///< frames of a latent but the first
};

/// Latents of the project's video: [1, channels, frames, height, width]. Throws Error{Project} naming the key
/// for a size that this model cannot make, with the nearest ones that it can.
Shape latentShapeOf(const Project& project, const ModelFacts& model);

/// Tokens of the transformer's sequence for such latents.
std::int64_t tokensOf(const Shape& latents, const WanTransformerConfig& config);

}  // namespace meshreel
