// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/media/image_processor.h"
#include "engine/models/families/model_family.h"
#include "engine/models/image_encoder/clip_vision_config.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/text_encoder/umt5.h"
#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/sampling/schedulers/scheduler_config.h"

namespace meshreel {

/// Weights of one part of a model.
struct PartWeights {
    std::uint64_t parameters = 0;
    std::uint64_t memory =
        0;  ///< bytes at most at once when used as f32: of the text encoder its largest layer
    std::uint64_t copied = 0;  ///< of these, what the file holds in another type and has to be converted
    std::uint64_t mapped = 0;  ///< bytes of the file that can be used in place
};

/// What is worth knowing about a part's files and keeps it from nothing.
struct PartRemark {
    std::string part;  ///< "transformer", "vae", ...
    Sentence message;
};

/// Null where the layers are not known.
using StoredLayers = std::shared_ptr<const std::vector<StoredLayer>>;

/// The configs of a checkpoint and how large its parts are.
struct ModelFacts {
    WanTransformerConfig transformer;
    Umt5Config textEncoder;
    WanVaeConfig vae;
    SchedulerConfig scheduler;
    PartWeights transformerWeights;
    StoredLayers transformerLayers;
    std::optional<PartWeights> secondWeights;  ///< of `transformer_2`, where there are two experts
    StoredLayers secondLayers;
    std::optional<double> boundaryRatio;  ///< of the experts, as model_index.json says
    PartWeights textEncoderWeights;
    PartWeights vaeWeights;

    const ModelFamily* family = nullptr;           ///< never null when read
    std::optional<ClipVisionConfig> imageEncoder;  ///< where the transformer attends to images
    ImageProcessor imageProcessor;                 ///< of the image encoder
    PartWeights imageEncoderWeights;
    std::vector<PartRemark> remarks;

    [[nodiscard]] int experts() const { return secondWeights ? 2 : 1; }
    [[nodiscard]] bool tokenTimesteps() const { return family->traits.tokenTimesteps; }
};

/// Folder of an expert, 1 or 2: "transformer" or "transformer_2".
std::string_view transformerName(int expert);

/// Reads model_index.json, the configs and the weights' headers of a checkpoint in diffusers layout, and
/// checks that the parts fit together (pipeline class, text width, tokens, latent channels), and that all
/// that the networks take from the files is there and stored in a way that is read. Throws Error{Input}
/// saying which file, what, and what to use instead.
ModelFacts readModelFacts(const std::filesystem::path& modelFolder);

}  // namespace meshreel
