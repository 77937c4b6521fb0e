// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/models/umt5.h"
#include "engine/models/wan_transformer_config.h"
#include "engine/models/wan_vae_config.h"
#include "engine/sampling/scheduler_config.h"

namespace meshreel {

/// Weights of one part of a model.
struct PartWeights {
    std::uint64_t parameters = 0;
    std::uint64_t memory =
        0;  ///< bytes at most at once when used as f32: of the text encoder its largest layer
    std::uint64_t copied = 0;  ///< of these, what the file holds in another type and has to be converted
    std::uint64_t mapped = 0;  ///< bytes of the file that can be used in place
};

/// The configs of a text-to-video checkpoint and how large its parts are.
struct ModelFacts {
    WanTransformerConfig transformer;
    Umt5Config textEncoder;
    WanVaeConfig vae;
    SchedulerConfig scheduler;
    PartWeights transformerWeights;
    PartWeights textEncoderWeights;
    PartWeights vaeWeights;
};

/// Reads model_index.json, the configs and the weights' headers of a checkpoint in diffusers layout, and
/// checks that the parts fit together (pipeline class, text width, latent channels). Throws Error{Input}
/// saying which file, what, and what to use instead.
ModelFacts readModelFacts(const std::filesystem::path& modelFolder);

}  // namespace meshreel
