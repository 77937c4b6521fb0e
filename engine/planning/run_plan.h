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
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/gpu/gpu_list.h"
#include "engine/planning/run_task.h"
#include "engine/project/project.h"

namespace meshreel {

/// All that was decided before work starts: what is computed, and where its parts are. Made by makePlan(),
/// then only read.
struct RunPlan : RunTask {
    Placement placement;
    MemoryEstimate memory;  ///< of the task so placed
    FlopEstimate flops;
    DiskEstimate disk;
    std::vector<Problem> warnings;  ///< with the ways out of them
};

/// Keys weights, activations, products (how the blocks' linear layers multiply), products_by (what does it),
/// text_encoder, vae, vae_weights, scheduler.
nlohmann::ordered_json precisionJson(const RunPlan& plan);

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

/// The plan for the project as its run stores it: inputs and model by the paths at which they lie then, seeds
/// drawn, a curve in place of its file. Nothing that was decided follows from these keys.
RunPlan withStoredProject(RunPlan plan, Project stored);

/// Who cuts the blocks of self-attention: "plan", by its flash_block_sizes, or "gpu", whose shaders have
/// sizes of their own.
std::string_view blocksBy(const RunPlan& plan);

/// The plan of a task whose parts were placed; without warnings, and nothing is asked of the disk.
RunPlan withPlacement(RunTask task, const Placed& placed);

/// The plan for people: model, shapes, mesh, attention, memory, FLOPs, disk, warnings; one fact a line.
/// `remarks` stand among the warnings.
std::string describePlan(const RunPlan& plan, std::span<const Sentence> remarks = {});

}  // namespace meshreel
