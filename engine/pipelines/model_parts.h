// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/estimates/placement.h"
#include "engine/kernels/execution.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/encoders/wav2vec2.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/planning/run_plan.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/memory.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/cache/cache_folder.h"
#include "engine/weights/cache/packed_weights.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Which parts of a model a piece of work needs.
enum class ModelScope : std::uint8_t {
    Everything,
    WithoutText,  ///< a process that gets its text embeddings from another one
    DecoderOnly,
};

/// One of a model's transformers on disk.
struct TransformerFiles {
    int expert = 1;
    Checkpoint checkpoint;
    std::vector<std::unique_ptr<PackedWeightStore>> stores;  ///< one for each WeightShard, or null
};

/// The files of a checkpoint in diffusers layout, mapped, and read through once if they are used whole.
struct ModelFiles {
    std::optional<Tokenizer> tokenizer;
    std::optional<Checkpoint> textEncoder;
    std::optional<Checkpoint> imageEncoder;  ///< where the model has one
    std::optional<Checkpoint> audioEncoder;  ///< likewise
    std::vector<TransformerFiles> transformers;
    std::optional<Checkpoint> vae;
};

/// Where packed weights are kept between runs.
struct WeightKeeper {
    const Caches* caches = nullptr;  ///< none: nothing is kept
    PackedWeightStore::Warn warn;    ///< receives what goes wrong with them
};

/// Returns the experts that are in memory when denoising goes on after `stepsDone` steps.
std::vector<int> firstExperts(const RunPlan& plan, int stepsDone);

/// Opens the files. Does not read through a transformer whose packed weights were kept. Opens only the
/// transformers in `experts`, and none for decoding only. Throws Error{Input} for files that are missing or
/// damaged.
ModelFiles openModelFiles(const Execution& execution, const RunPlan& plan, ModelScope scope,
                          std::span<const int> experts, const DeviceMesh& mesh, const WeightKeeper& keeper);

/// Returns whether every transformer of `files` comes packed from an earlier run.
bool weightsWereKept(const ModelFiles& files);

/// One transformer with packed weights, as the devices of one process need it.
struct TransformerShards {
    int expert = 1;
    /// One for each WeightShard of the devices; with GPUs, one for each device.
    std::vector<std::unique_ptr<WanTransformer>> shards;
};

/// The networks with packed weights (the encoders read their own from the map), as the devices of one process
/// need them; those outside the scope are null. Each lies where its own PartPlan has it.
struct ModelParts {
    std::unique_ptr<Umt5Encoder> textEncoder;
    std::unique_ptr<ClipVisionEncoder> imageEncoder;
    std::unique_ptr<Wav2Vec2Encoder> audioEncoder;  ///< computed by the workers
    std::vector<TransformerShards> transformers;    ///< the experts that are in memory
    /// One for all; with replicate_vae, or where GPUs compute it, one for each device.
    std::vector<std::unique_ptr<WanVae>> vaes;
    /// The encoders, likewise, where the plan has them elsewhere than the decoders; else those of `vaes`.
    std::vector<std::unique_ptr<WanVae>> vaeEncoders;
    int firstDevice = 0;  ///< on the process

    [[nodiscard]] bool holds(int expert) const;
    /// Returns the part of this device of an expert that is held.
    [[nodiscard]] const WanTransformer& transformerFor(const Device& device, int expert) const;
    [[nodiscard]] const WanVae& vaeFor(const Device& device) const;
    [[nodiscard]] const WanVae& vaeEncoderFor(const Device& device) const;

    // For work outside the devices.
    [[nodiscard]] const WanVae& vae() const { return *vaes.front(); }
    [[nodiscard]] const WanVae& vaeEncoder() const {
        return vaeEncoders.empty() ? vae() : *vaeEncoders.front();
    }
};

/// Returns the memory in which the plan has a part, on a device with this GPU or with none; null: the host's.
Memory* memoryFor(const RunPlan& plan, PlacedPart part, ComputeDevice* gpu);

/// Returns the plan's VAE with packed weights in `memory`; null: the host's.
std::unique_ptr<WanVae> packVae(const RunPlan& plan, const Checkpoint& checkpoint, VaeParts parts,
                                Memory* memory);

/// Returns a small decoder of `config` in `folder`, made for previews, in the precision of the plan's VAE and
/// where the plan has the preview decoder: in the memory of `gpu`, or the host's.
std::shared_ptr<const WanVae> openPreviewDecoder(const WanVaeConfig& config,
                                                 const std::filesystem::path& folder, const RunPlan& plan,
                                                 ComputeDevice* gpu);

/// The transformer's predictions for all videos, wherever they are computed. The videos and their negative
/// parts are sharded over data × fsdp; a device computes its own one after the other, so that its memory, and
/// the bits of a video, do not depend on how many there are. Whatever depends on the text alone is computed
/// once, here.
ModelParts packModel(const Execution& execution, const RunPlan& plan, const ModelFiles& files,
                     const DeviceMesh& mesh);

/// Opens, reads and packs one more expert into `parts`. Throws as openModelFiles and packModel.
void loadTransformer(const Execution& execution, const RunPlan& plan, int expert, const DeviceMesh& mesh,
                     const WeightKeeper& keeper, ModelParts& parts);

/// Returns one pass of the smallest input through the first transformer, on all devices of the mesh together,
/// and through the decoder on `execution`: wakes the workers, touches the packed weights. Returns an estimate
/// of the seconds that decoding the plan's video takes, scaled from the pass.
double warmUp(const Execution& execution, DeviceMesh& mesh, const RunPlan& plan, const ModelParts& parts);

}  // namespace meshreel
