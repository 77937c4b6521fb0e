// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/families/model_family.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/memory_estimates.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/planning/video_shape.h"
#include "engine/project/project.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// What each part of a run computes in, decided once from the project's keys. Types are f32 or bf16.
struct RunPrecision {
    WanPrecision transformer;
    DType textEncoder = DType::F32;  ///< what the linear layers of both encoders multiply
    DType vae = DType::F32;
    DType vaeWeights = DType::F32;
    DType scheduler = DType::F32;

    [[nodiscard]] Arithmetic encoderProducts() const {
        return textEncoder == DType::BF16 ? Arithmetic::BF16 : Arithmetic::F32;
    }
};

/// The precision of a project without problems.
RunPrecision readPrecision(const Project& project);

/// "float32" or "bfloat16": as the keys spell it.
std::string_view keyValueOf(DType type);

/// "float32", "bfloat16" or "int8".
std::string_view keyValueOf(Arithmetic weights);

/// Keys weights, activations, products (how the blocks' linear layers multiply), products_by
/// (the implementation on this machine), text_encoder, vae, vae_weights, scheduler.
nlohmann::ordered_json precisionJson(const RunPrecision& precision);

/// All that was decided before work starts; decided once, then only read.
struct RunPlan {
    Project project;
    std::filesystem::path modelFolder;  ///< empty of a model that was given: see PlanOptions
    ModelFacts model;  ///< configs read from the checkpoint; the scheduler's with the project's choice and
                       ///< flow shift
    PlannedAdapters adapters;     ///< of the transformers
    bool presetAdapters = false;  ///< the preset asked for them, and they were found in the models folders
    MeshLayout layout;
    int ranks = 1;                         ///< processes, which share out the devices in order
    int workersPerDevice = 1;              ///< compute threads
    std::vector<ChosenGpu> gpus = {};      ///< of this process's devices in order, which compute the
                                           ///< transformer on them; empty: the CPU does
    bool vaeOnGpu = false;                 ///< the GPUs compute the VAE as well
    bool vaeEncodes = false;               ///< its encoder is held as well
    std::int64_t vaeStripsInTurn = 1;      ///< that the GPU decodes frames in, one after the other
    Sentence whyVaeOnCpu = {};             ///< where there is a GPU: why it does not
    bool encodersOnGpu = false;            ///< the first device's GPU computes the text and image encoders
    Sentence whyEncodersOnCpu = {};        ///< where there is a GPU: why it does not
    Sentence whyNoGpu = {};                ///< why the CPU does where the project leaves it to the plan
    int vaeStrips = 1;                     ///< of the video's width; divides the devices
    std::chrono::seconds stallTimeout{0};  ///< waiting longer for another device counts as a hang
    AttentionSettings attention;           ///< what the project asks for
    AttentionPlans attentions;             ///< what runs
    RunPrecision precision;
    WanTask task = WanTask::TextToVideo;
    Shape latentShape;  ///< [batch, channels, latent frames, latent height, latent width] of what is sampled
                        ///< at a time: frames of references, and behind them the video's or a segment's
    std::int64_t referenceFrames = 0;
    VideoSegments segments;
    std::vector<double> sigmas = {};   ///< the run's own noise levels; empty: the scheduler spaces them
    std::int64_t tokens = 0;           ///< of the transformer's sequence
    bool guided = true;                ///< in some step guidance makes two transformer passes
    bool guidesImages = false;         ///< and a third, without the references
    std::vector<ExpertSteps> experts;  ///< who computes which steps of the denoising loop
    StepCachePlan stepCache;           ///< which of them are shortened
    bool bothExpertsResident = false;  ///< two experts, and memory for both
    std::optional<std::int64_t> residentLayers = {};  ///< of each transformer; the others are read from the
                                                      ///< checkpoint for each use. Nothing: all stay
    MemoryEstimate memory;
    FlopEstimate flops;
    DiskEstimate disk;
    std::vector<Sentence> warnings;

    [[nodiscard]] int devicesPerRank() const { return layout.devices() / ranks; }
    /// Steps of the denoising loop.
    [[nodiscard]] int loopSteps() const { return experts.empty() ? 0 : experts.back().endStep; }
    /// Steps of the loops of all segments.
    [[nodiscard]] int steps() const { return segments.count * loopSteps(); }
    [[nodiscard]] double guidanceOf(int expert) const;
    /// Passes of a guided step for each video, of a step without guidance where no step has it.
    [[nodiscard]] int rowsOfVideo() const { return meshreel::rowsOfVideo(guided, guidesImages); }
    /// latentShape without the references, of all segments one behind the other.
    [[nodiscard]] Shape videoLatentShape() const;
    [[nodiscard]] VideoGeometry geometry() const;
    /// The geometry of what is sampled at a time.
    [[nodiscard]] VideoGeometry segmentGeometry() const;
    /// The run's scheduler before its first step.
    [[nodiscard]] std::unique_ptr<Scheduler> makeScheduler() const;
};

struct PlanOptions {
    int devices = 0;  ///< 0: the project's, and 0 there: see MeshRequest
    int ranks = 1;
    int rank = 0;     ///< of this process: it takes its part of the GPUs
    int workers = 0;  ///< per device; 0: the project's, and 0 there: the CPUs shared out
    int cpus = 0;     ///< for this process; 0: all that it may use
    std::optional<std::uint64_t> memoryBytes = {};  ///< in place of what the system says is available
    std::optional<std::uint64_t> diskBytes = {};    ///< in place of the free space at runsFolder
    /// In place of what the GPU drivers of this system answer, which are asked where the project wants a GPU.
    std::optional<std::vector<GpuDriver>> drivers = {};
    bool beyondMemory = false;    ///< also a plan that memory does not hold, with as little as it can do with
    bool oversubscribe = false;   ///< allow more devices than deviceOverload() does
    bool measuresGrowth = false;  ///< of a run whose steps measure a curve for MagCache
    /// In place of the project's model, whose files need not be there then; adapters are left out.
    std::shared_ptr<const ModelFacts> model = {};
    std::filesystem::path runsFolder = {};  ///< where the run will be written; empty: disk is not checked
};

/// Resolves and checks everything. Throws Error{Project} for what cannot be asked of this version or this
/// model, Error{Input} for a checkpoint that is missing or does not fit together, Error{Resources} when
/// memory or disk will not do, with the numbers.
RunPlan makePlan(const Project& project, const PlanOptions& options = {});

/// The plan with changes of mesh and attention keys: all that follows from them decided again, everything
/// else as it was. Nothing where the changes are not legal or leave devices without work; too little memory
/// shows in its estimate only.
std::optional<RunPlan> planOnMesh(const RunPlan& plan, const KeyChanges& changes);

/// How the plan's model attends on its mesh with these settings, which are legal.
AttentionPlans planAttentions(const RunPlan& plan, const AttentionSettings& settings);

/// "transformer, VAE and encoders": what a GPU of the plan computes, the first one or another.
std::string_view partsOnGpu(const RunPlan& plan, bool isFirst);

/// The plan for people: model, shapes, mesh, attention, memory, FLOPs, disk, warnings; one fact a line.
std::string describePlan(const RunPlan& plan);

}  // namespace meshreel
