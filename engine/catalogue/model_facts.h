// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/image_processor.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/families/model_family.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/project/project.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// The weights of one part of a model.
struct PartWeights {
    std::uint64_t parameters = 0;
    std::uint64_t tensors = 0;   ///< that the parameters are in
    std::uint64_t memory = 0;    ///< bytes when used as f32; of the text encoder those of its largest layer
    std::uint64_t copied = 0;    ///< those of the bytes that the file stores in another type and that have to
                                 ///< be converted
    std::uint64_t mapped = 0;    ///< bytes of the file that can be used in place
    DType linears = DType::F32;  ///< for an encoder: bf16 when the file stores all of its linear layers in it
};

/// What is worth knowing about a part's files and keeps it from nothing.
struct PartRemark {
    std::string part;  ///< "transformer", "vae", ...
    Sentence message;
};

/// A transformer's layers; null when they are not known.
using StoredLayers = std::shared_ptr<const std::vector<StoredLayer>>;

/// The configs of a checkpoint and how large its parts are.
struct ModelFacts {
    WanTransformerConfig transformer;
    Umt5Config textEncoder;
    WanVaeConfig vae;
    std::optional<WanVaeConfig> preview;  ///< the small decoder that makes previews, if one is named
    SchedulerConfig scheduler;
    PartWeights transformerWeights;
    StoredLayers transformerLayers;
    std::optional<PartWeights> secondWeights;  ///< weights of `transformer_2`, with two experts
    StoredLayers secondLayers;
    std::optional<double> boundaryRatio;  ///< boundary between the experts, from model_index.json
    PartWeights textEncoderWeights;
    PartWeights vaeWeights;
    PartWeights vaeDecoderWeights;  ///< the decoder's share of these

    const ModelFamily* family = nullptr;           ///< never null when read
    std::optional<ClipVisionConfig> imageEncoder;  ///< where the transformer attends to images
    ImageProcessor imageProcessor;                 ///< preprocessing of the image encoder
    PartWeights imageEncoderWeights;
    std::optional<Wav2Vec2Config> audioEncoder;  ///< where the transformer hears
    PartWeights audioEncoderWeights;
    std::vector<PartRemark> remarks;

    [[nodiscard]] int experts() const { return secondWeights ? 2 : 1; }
    /// Returns the VAE's weights that a run holds.
    [[nodiscard]] const PartWeights& vaeWeightsFor(bool encodes) const {
        return encodes ? vaeWeights : vaeDecoderWeights;
    }
    [[nodiscard]] bool tokenTimesteps() const { return family->traits.tokenTimesteps; }
};

/// Folder of an expert, 1 or 2: "transformer" or "transformer_2".
std::string_view transformerName(int expert);

/// Reads model_index.json, the configs and the weights' headers of a checkpoint in diffusers layout, and
/// checks that the parts fit together (pipeline class, text width, tokens, latent channels), and that all
/// that the networks take from the files is there and stored in a way that is read. Throws Error{Input}
/// saying which file, what, and what to use instead.
ModelFacts readModelFacts(const std::filesystem::path& modelFolder);

/// Returns what readModelFacts() will find in a released model that need not be on this machine: its configs
/// and the shapes and types of its weights as published. Accepts its Hugging Face id or its name, which is
/// that of an architecture, in any case, with or without a suffix ("Wan-AI/Wan2.1-T2V-14B-720P-Diffusers").
/// Returns nothing for other names and for paths.
std::optional<ModelFacts> releasedModelFacts(std::string_view nameOrId);

/// A part of a released model, as it is downloaded.
struct PublishedPart {
    std::string name;  ///< its folder: "transformer", "text_encoder", …
    std::uint64_t bytes = 0;
};

/// Returns the parts with weights of what releasedModelFacts() knows by the same name; none of others.
std::vector<PublishedPart> publishedParts(std::string_view nameOrId);

/// What is known on this machine about a project's model.
struct ProjectModel {
    std::shared_ptr<const ModelFacts> facts;  ///< null: neither can it be used nor is it known by its name
    bool onDisk = false;
    std::optional<Error> refused = {};  ///< why it cannot be used as it is

    /// Returns whether the facts are those of its release: enough for a plan, but not for a run.
    [[nodiscard]] bool isReleased() const { return facts != nullptr && refused.has_value(); }
};

/// Reads the project's model; if it is not on this machine or cannot be read, returns what
/// offeredModelFacts() knows of an offer's id and releasedModelFacts() of another name. Leaves a model that
/// is assembled from single files to makePlan().
ProjectModel readProjectModel(const Project& project);

/// Names of the installed models that do the task, in the order of installedModels(). Reads their
/// configurations; those that cannot be used are left out.
std::vector<std::string> installedModelsFor(WanTask task);

}  // namespace meshreel
