// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/model_parts.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/elapsed.h"
#include "engine/base/stop_token.h"
#include "engine/base/system.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/run_task.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/trace.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

constexpr std::ptrdiff_t pageBytes = 4096;

// Square side of the warm-up's latents: a multiple of every Wan patch size.
constexpr std::int64_t warmUpSide = 4;

/// The result is ignored: a NaN from damaged weights recurs in step 1 and is reported there.
void warmUpTransformer(Device& device, const WanTransformer& transformer, const Tensor& latents) {
    const std::int64_t videos = ownVideos(device, latents.extent(0)).size();
    try {
        static_cast<void>(
            transformer.forward(device,
                                WanInputs::zeros(transformer.config(), videos, latents.extent(2),
                                                 latents.extent(3), latents.extent(4)),
                                WanConditions::zeros(transformer.config(), videos)));
    } catch (const NonFiniteError&) {
        return;
    }
}

/// Returns the shards of the weights that the devices of this process keep: equal ones once, except on GPUs,
/// each of which has memory of its own.
std::vector<WeightShard> shardsOf(const DeviceMesh& mesh) {
    std::vector<WeightShard> shards;
    const MeshShape shape = mesh.layout().shape();
    for (int local = 0; local < mesh.localDevices(); ++local) {
        const DeviceCoordinates at = mesh.layout().coordinates(mesh.firstDevice() + local);
        const WeightShard shard{.fsdpIndex = at.fsdp,
                                .fsdpDevices = shape.fsdp,
                                .tensorIndex = at.tensor,
                                .tensorDevices = shape.tensor};
        if (!mesh.gpus().empty() || std::ranges::find(shards, shard) == shards.end())
            shards.push_back(shard);
    }
    return shards;
}

/// Asks every page of the map, so that the disk's time is spent here and not in the first use. The system's
/// file cache has them then; this process holds a tensor's at a time.
void readThrough(const Execution& execution, const Checkpoint& checkpoint) {
    for (const std::string& name : checkpoint.names()) {
        throwIfStopped(execution.stop);
        const std::span<const std::byte> stored = checkpoint.storedBytes(name);
        const volatile std::byte* data = stored.data();
        for (std::ptrdiff_t offset = 0; offset < std::ssize(stored); offset += pageBytes)
            static_cast<void>(data[offset]);
        checkpoint.release(name);
    }
}

void readPart(const Execution& execution, const std::string& name, const Checkpoint& checkpoint) {
    const auto span = traceSpan(execution.trace, "read " + name);
    readThrough(execution, checkpoint);
}

/// Everything that the packed transformer depends on. The format of each matrix shows what libraries make of
/// it.
std::string transformerKey(const RunPlan& plan, const Checkpoint& checkpoint, const WeightShard& shard) {
    constexpr int packerVersion = 1;
    const WanPrecision& precision = plan.precision.transformer;
    return nlohmann::json{{"part", "transformer"},
                          {"checkpoint", checkpointIdentity(checkpoint)},
                          {"tensor", {shard.tensorIndex, shard.tensorDevices}},
                          {"held", nameOf(precision.held())},
                          {"linears", nameOf(precision.linears())},
                          {"isa", isaName()},
                          {"library", dnnlVersion()},
                          {"packer", packerVersion}}
        .dump();
}

/// One for each shard; null when nothing is kept: without caches, of layers that are gathered, and of what a
/// GPU takes as the checkpoint has it.
std::vector<std::unique_ptr<PackedWeightStore>> openStores(const RunPlan& plan, const Checkpoint& checkpoint,
                                                           const std::vector<WeightShard>& shards,
                                                           const WeightKeeper& keeper) {
    std::vector<std::unique_ptr<PackedWeightStore>> stores;
    for (const WeightShard& shard : shards)
        stores.push_back(keeper.caches == nullptr || shard.fsdpDevices > 1 ||
                                 plan.placement.isOnGpu(PlacedPart::Transformer)
                             ? nullptr
                             : std::make_unique<PackedWeightStore>(keeper.caches->weights,
                                                                   transformerKey(plan, checkpoint, shard),
                                                                   keeper.warn));
    return stores;
}

std::unique_ptr<WanTransformer> packTransformer(const RunPlan& plan, const Checkpoint& checkpoint,
                                                const WeightShard& shard, PackedWeightStore* kept,
                                                Memory* memory) {
    std::optional<PackedLinearStore> store;
    if (kept != nullptr)
        store.emplace(*kept);
    auto transformer = std::make_unique<WanTransformer>(
        plan.model.transformer, checkpoint, plan.attentions, shard, plan.precision.transformer,
        store ? &*store : nullptr, plan.placement.residentLayers(), memory);
    if (kept != nullptr)
        kept->finish();
    return transformer;
}

VaePrecision toVaePrecision(const RunPrecision& precision) {
    return {.activations = precision.vae, .weights = precision.vaeWeights};
}

VaeChunks chooseChunks(const RunPlan& plan) {
    return {.decode = plan.project.vaeDecodeChunk,
            .encode = plan.project.vaeEncodeChunk,
            .stripsInTurn = plan.placement.vaeStripsInTurn()};
}

/// Weights are packed from copies that come and go. In the heap these would leave holes, together up to as
/// large as what is kept. Weights that are read for each use are also packed while the model runs.
class PackingMemory {
  public:
    explicit PackingMemory(const RunPlan& plan) : m_goesOn(plan.memory.device.used > 0) {
        placeLargeBlocks(LargeBlocks::Mapped);
    }
    ~PackingMemory() {
        if (!m_goesOn)
            placeLargeBlocks(LargeBlocks::InHeap);
    }
    PackingMemory(const PackingMemory&) = delete;
    PackingMemory& operator=(const PackingMemory&) = delete;

  private:
    bool m_goesOn;
};

bool wereKept(const TransformerFiles& files) {
    return std::ranges::all_of(files.stores, [](const auto& store) { return store && store->hit(); });
}

TransformerFiles openTransformer(const Execution& execution, const RunPlan& plan, int expert,
                                 const DeviceMesh& mesh, const WeightKeeper& keeper) {
    const std::string name(transformerName(expert));
    TransformerFiles files{
        .expert = expert, .checkpoint = Checkpoint::open(plan.modelFolder / name), .stores = {}};
    addAdapters(plan.adapters, expert, files.checkpoint);
    files.stores = openStores(plan, files.checkpoint, shardsOf(mesh), keeper);
    if (!plan.placement.residentLayers() && !wereKept(files))
        readPart(execution, name, files.checkpoint);
    return files;
}

TransformerShards packShards(const Execution& execution, const RunPlan& plan, const TransformerFiles& files,
                             const DeviceMesh& mesh) {
    TransformerShards packed{.expert = files.expert, .shards = {}};
    const std::vector<WeightShard> shards = shardsOf(mesh);
    for (std::size_t index = 0; index < shards.size(); ++index) {
        Memory* memory = mesh.gpus().empty() ? nullptr : &mesh.gpus()[index]->memory();
        const auto span = traceSpan(execution.trace, "pack " + std::string(transformerName(files.expert)));
        packed.shards.push_back(
            packTransformer(plan, files.checkpoint, shards[index], files.stores[index].get(), memory));
        throwIfStopped(execution.stop);
    }
    return packed;
}

/// One for each device of the process where the part's place or the project says so, else one for all.
std::vector<std::unique_ptr<WanVae>> packVaes(const RunPlan& plan, const Checkpoint& checkpoint,
                                              VaeParts parts, PlacedPart part, const DeviceMesh& mesh) {
    std::vector<std::unique_ptr<WanVae>> vaes;
    const bool ofEachDevice = plan.project.replicateVae || plan.placement.isOnGpu(part);
    for (int copy = 0; copy < (ofEachDevice ? mesh.localDevices() : 1); ++copy)
        vaes.push_back(packVae(plan, checkpoint, parts, memoryFor(plan, part, mesh.gpu(copy))));
    return vaes;
}

}  // namespace

Memory* memoryFor(const RunPlan& plan, PlacedPart part, ComputeDevice* gpu) {
    return plan.placement.isOnGpu(part) ? &gpu->memory() : nullptr;
}

std::unique_ptr<WanVae> packVae(const RunPlan& plan, const Checkpoint& checkpoint, VaeParts parts,
                                Memory* memory) {
    return std::make_unique<WanVae>(plan.model.vae, checkpoint, toVaePrecision(plan.precision),
                                    chooseChunks(plan), memory, parts);
}

std::vector<int> firstExperts(const RunPlan& plan, int stepsDone) {
    std::vector<int> experts;
    const int ownSteps = stepsDone % plan.loopSteps();  // in the segment that continues
    for (const ExpertSteps& stretch : plan.experts)
        if (stretch.endStep > ownSteps && (experts.empty() || plan.placement.keepsBothExperts()))
            experts.push_back(stretch.expert);
    return experts;
}

ModelFiles openModelFiles(const Execution& execution, const RunPlan& plan, ModelScope scope,
                          std::span<const int> experts, const DeviceMesh& mesh, const WeightKeeper& keeper) {
    ModelFiles files;
    if (scope == ModelScope::Everything) {
        files.tokenizer = Tokenizer::open(plan.modelFolder / "tokenizer");
        // Only mapped: the encoders read their layers one after the other when they run.
        files.textEncoder = Checkpoint::open(plan.modelFolder / "text_encoder", ModelPart::TextEncoder);
        if (plan.model.imageEncoder)
            files.imageEncoder =
                Checkpoint::open(plan.modelFolder / "image_encoder", ModelPart::ImageEncoder);
        if (plan.model.audioEncoder)
            files.audioEncoder =
                Checkpoint::open(plan.modelFolder / "audio_encoder", ModelPart::AudioEncoder);
    }
    if (scope != ModelScope::DecoderOnly)
        for (const int expert : experts)
            files.transformers.push_back(openTransformer(execution, plan, expert, mesh, keeper));
    files.vae = Checkpoint::open(plan.modelFolder / "vae", ModelPart::Vae);
    readPart(execution, "vae", *files.vae);
    return files;
}

bool weightsWereKept(const ModelFiles& files) {
    return !files.transformers.empty() && std::ranges::all_of(files.transformers, wereKept);
}

bool ModelParts::holds(int expert) const {
    return std::ranges::find(transformers, expert, &TransformerShards::expert) != transformers.end();
}

const WanTransformer& ModelParts::transformerFor(const Device& device, int expert) const {
    const auto held = std::ranges::find(transformers, expert, &TransformerShards::expert);
    if (device.execution().hasOwnMemory())
        return *held->shards[static_cast<std::size_t>(device.index() - firstDevice)];
    const WeightShard shard = WeightShard::of(device);
    return **std::ranges::find_if(held->shards, [&](const auto& part) { return part->shard() == shard; });
}

namespace {

const WanVae& ownOf(const std::vector<std::unique_ptr<WanVae>>& vaes, int localDevice) {
    return *vaes[vaes.size() == 1 ? 0 : static_cast<std::size_t>(localDevice)];
}

}  // namespace

const WanVae& ModelParts::vaeFor(const Device& device) const {
    return ownOf(vaes, device.index() - firstDevice);
}

const WanVae& ModelParts::vaeEncoderFor(const Device& device) const {
    return ownOf(vaeEncoders.empty() ? vaes : vaeEncoders, device.index() - firstDevice);
}

std::shared_ptr<const WanVae> openPreviewDecoder(const WanVaeConfig& config,
                                                 const std::filesystem::path& folder, const RunPlan& plan,
                                                 ComputeDevice* gpu) {
    VaeChunks chunks = chooseChunks(plan);
    chunks.stripsInTurn = 1;  // those of the large decoder
    return std::make_shared<const WanVae>(config.forPreview(), Checkpoint::open(folder, ModelPart::Vae),
                                          toVaePrecision(plan.precision), chunks,
                                          memoryFor(plan, PlacedPart::PreviewDecoder, gpu));
}

ModelParts packModel(const Execution& execution, const RunPlan& plan, const ModelFiles& files,
                     const DeviceMesh& mesh) {
    const PackingMemory memory(plan);
    ModelParts parts{.textEncoder = nullptr,
                     .imageEncoder = nullptr,
                     .audioEncoder = nullptr,
                     .transformers = {},
                     .vaes = {},
                     .vaeEncoders = {},
                     .firstDevice = mesh.firstDevice()};
    const Arithmetic encoders = plan.precision.encoderProducts();
    if (files.textEncoder) {
        parts.textEncoder =
            std::make_unique<Umt5Encoder>(plan.model.textEncoder, *files.textEncoder, encoders,
                                          memoryFor(plan, PlacedPart::TextEncoder, mesh.gpu(0)));
        throwIfStopped(execution.stop);
    }
    if (files.imageEncoder)
        parts.imageEncoder =
            std::make_unique<ClipVisionEncoder>(*plan.model.imageEncoder, *files.imageEncoder, encoders,
                                                memoryFor(plan, PlacedPart::ImageEncoder, mesh.gpu(0)));
    if (files.audioEncoder)
        parts.audioEncoder = std::make_unique<Wav2Vec2Encoder>(*plan.model.audioEncoder, *files.audioEncoder);
    for (const TransformerFiles& transformer : files.transformers)
        parts.transformers.push_back(packShards(execution, plan, transformer, mesh));
    const auto span = traceSpan(execution.trace, "pack vae");
    const bool isTogether =
        plan.placement.isOnGpu(PlacedPart::VaeEncoder) == plan.placement.isOnGpu(PlacedPart::VaeDecoder);
    const bool encodes = plan.encodesVideo();
    parts.vaes = packVaes(plan, *files.vae, encodes && isTogether ? VaeParts::Whole : VaeParts::DecoderOnly,
                          PlacedPart::VaeDecoder, mesh);
    if (encodes && !isTogether)
        parts.vaeEncoders = packVaes(plan, *files.vae, VaeParts::EncoderOnly, PlacedPart::VaeEncoder, mesh);
    return parts;
}

void loadTransformer(const Execution& execution, const RunPlan& plan, int expert, const DeviceMesh& mesh,
                     const WeightKeeper& keeper, ModelParts& parts) {
    const PackingMemory memory(plan);
    const TransformerFiles files = openTransformer(execution, plan, expert, mesh, keeper);
    parts.transformers.push_back(packShards(execution, plan, files, mesh));
}

double warmUp(const Execution& execution, DeviceMesh& mesh, const RunPlan& plan, const ModelParts& parts) {
    using Clock = std::chrono::steady_clock;
    const PackingMemory memory(plan);
    const auto span = traceSpan(execution.trace, "warm-up");
    const auto zeros = [](std::int64_t channels, std::int64_t frames = 1, std::int64_t side = warmUpSide) {
        return Tensor::zeros({1, channels, frames, side, side});
    };
    // An animation's first frame is the reference; a sound is as long as two.
    const std::int64_t frames = plan.model.transformer.animate || plan.model.transformer.sound ? 2 : 1;
    if (!parts.transformers.empty())
        mesh.run(execution.stop, execution.trace, [&](Device& device) {
            warmUpTransformer(device, parts.transformerFor(device, parts.transformers.front().expert),
                              zeros(plan.model.transformer.inChannels, frames));
        });

    if (plan.placement.isOnGpu(PlacedPart::VaeDecoder))  // shaders are compiled at their first use
        static_cast<void>(parts.vae().decode(execution, zeros(plan.model.vae.zDim, 1, 1)));
    const Clock::time_point start = Clock::now();
    static_cast<void>(parts.vae().decode(execution, zeros(plan.model.vae.zDim)));
    const double seconds = secondsSince(start);
    // One latent frame decodes to one frame when it is the first, so frames are what the cost goes with.
    const auto positions =
        static_cast<double>(plan.project.numFrames * plan.latentShape[3] * plan.latentShape[4]);
    return seconds * positions / static_cast<double>(warmUpSide * warmUpSide);
}

}  // namespace meshreel
