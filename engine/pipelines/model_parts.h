// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/umt5.h"
#include "engine/models/wan_transformer.h"
#include "engine/models/wan_vae.h"
#include "engine/planning/run_plan.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/packed_weight_store.h"
#include "engine/weights/user_caches.h"

namespace meshreel {

/// Which parts of a model a piece of work needs.
enum class ModelScope : std::uint8_t {
    Everything,
    WithoutText,  ///< a process that gets its text embeddings from another one
    DecoderOnly,
};

/// The files of a checkpoint in diffusers layout, mapped, and read through once where they are used whole.
struct ModelFiles {
    std::optional<Tokenizer> tokenizer;
    std::optional<Checkpoint> textEncoder;
    std::optional<Checkpoint> transformer;
    std::vector<std::unique_ptr<PackedWeightStore>> transformerStores;  ///< one for each WeightShard, or null
    std::optional<Checkpoint> vae;
};

/// Where packed weights are kept between runs.
struct WeightKeeper {
    const Caches* caches = nullptr;  ///< none: nothing is kept
    PackedWeightStore::Warn warn;    ///< told what goes wrong with them
};

/// A transformer whose packed weights were kept is not read through. Throws Error{Input} for files that are
/// missing or damaged.
ModelFiles openModelFiles(const Execution& execution, const RunPlan& plan, ModelScope scope,
                          const DeviceMesh& mesh, const WeightKeeper& keeper);

/// The networks with packed weights (the text encoder reads its own from the map), as the devices of one
/// process need them; what the scope does not name is null.
struct ModelParts {
    std::unique_ptr<Umt5Encoder> textEncoder;
    std::vector<std::unique_ptr<WanTransformer>> transformers;  ///< one for each WeightShard of the devices
    std::vector<std::unique_ptr<WanVae>> vaes;  ///< one for all, or with replicate_vae one for each device
    int firstDevice = 0;                        ///< of the process

    [[nodiscard]] const WanTransformer& transformerOf(const Device& device) const;
    [[nodiscard]] const WanVae& vaeOf(const Device& device) const;

    /// For what no device does.
    [[nodiscard]] const WanVae& vae() const { return *vaes.front(); }
};

/// Throws Error{Input} for tensors that are missing or of another shape.
ModelParts packModel(const Execution& execution, const RunPlan& plan, const ModelFiles& files,
                     const DeviceMesh& mesh);

/// One pass of the smallest input through the transformer, on all devices of the mesh together, and through
/// the decoder on `execution`: wakes the workers, touches the packed weights. Returns an estimate of the
/// seconds that decoding the plan's video takes, scaled from the pass.
double warmUp(const Execution& execution, DeviceMesh& mesh, const RunPlan& plan, const ModelParts& parts);

}  // namespace meshreel
