// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/disk_estimate.h"
#include "engine/estimates/flop_estimate.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/video_shape.h"
#include "engine/gpu/gpu_list.h"
#include "engine/planning/run_task.h"
#include "engine/project/project.h"

namespace meshreel {

class Planner;

/// All that was decided before work starts: what is computed, and where its parts are. The planner makes it
/// whole, and nobody can change it or take it apart into one that could be changed: what is decided otherwise
/// is another plan, made from a task, which is a value to change (RunTask), and a placement.
struct RunPlan : RunTask {
    Placement placement;
    MemoryEstimate memory;  ///< for the task as placed
    FlopEstimate flops;
    DiskEstimate disk;
    std::vector<Problem> warnings;  ///< each with its ways out

    RunPlan(const RunPlan&) = delete;
    RunPlan& operator=(const RunPlan&) = delete;
    RunPlan(RunPlan&&) = delete;
    RunPlan& operator=(RunPlan&&) = delete;
    ~RunPlan() = default;

  private:
    friend class Planner;
    RunPlan(RunTask task, const Placed& placed, const DiskEstimate& disk, std::vector<Problem> warnings);
};

using PlanPtr = std::shared_ptr<const RunPlan>;

/// Returns the keys weights, activations, products (how the blocks' linear layers multiply), products_by
/// (what does it), text_encoder, vae, vae_weights, scheduler.
nlohmann::ordered_json precisionJson(const RunPlan& plan);

struct PlanOptions {
    int devices = 0;  ///< 0: the project's, and 0 there: see MeshRequest
    int ranks = 1;
    int rank = 0;     ///< rank of this process: it takes its part of the GPUs
    int workers = 0;  ///< per device; 0: the project's, and 0 there: the CPUs divided
    int cpus = 0;     ///< for this process; 0: all that it may use
    std::optional<std::uint64_t> memoryBytes = {};  ///< replaces the available memory that the system reports
    std::optional<std::uint64_t> diskBytes = {};    ///< replaces the free space at runsFolder
    /// Replaces the answers of this system's GPU drivers, which are asked if the project wants a GPU.
    std::optional<std::vector<GpuDriver>> drivers = {};
    bool beyondMemory = false;   ///< also a plan that memory does not hold, with as little as it can do with
    bool oversubscribe = false;  ///< allow more devices than deviceOverload() does
    bool measuresMagRatios = false;  ///< for a run whose steps measure a curve for MagCache
    /// Replaces the project's model, whose files may then be missing; adapters are left out.
    std::shared_ptr<const ModelFacts> model = {};
    /// Replaces the sizes of the project's reference_images, whose files may then be missing.
    std::optional<std::vector<PictureSize>> pictures = {};
    std::filesystem::path runsFolder = {};  ///< where the run will be written; empty: disk is not checked
};

/// Resolves and checks everything. Throws Error{Project} for what cannot be asked of this version or this
/// model, Error{Input} for a checkpoint that is missing or does not fit together, Error{Resources} when
/// memory or disk is not enough, with the numbers.
PlanPtr makePlan(const Project& project, const PlanOptions& options = {});

/// Returns the plan with changes of mesh and attention keys: all that follows from them decided again,
/// everything else as it was. Null when the changes are not legal or leave devices without work; too little
/// memory shows in its estimate only.
PlanPtr planOnMesh(const RunPlan& plan, const KeyChanges& changes);

/// Returns the plan for the project as its run stores it: inputs and model by the paths that they have then,
/// seeds drawn, a curve in place of its file. No decision follows from these keys.
PlanPtr withStoredProject(const RunPlan& plan, Project stored);

/// Returns what cuts the blocks of self-attention and chooses the base of its exponents: "plan", by
/// flash_block_sizes and use_base2_exp, or "gpu", whose shaders have sizes of their own and compute in
/// base 2.
std::string_view blocksBy(const RunPlan& plan);

/// Returns the plan of a task whose parts were placed; without warnings, and nothing is asked of the disk.
PlanPtr withPlacement(RunTask task, const Placed& placed);

/// Returns the plan for people: model, shapes, mesh, attention, memory, FLOPs, disk, notes; one fact a line.
/// Its warnings are among the problems of the project's forecast.
std::string describePlan(const RunPlan& plan, std::span<const Sentence> notes = {});

}  // namespace meshreel
