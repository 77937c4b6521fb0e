// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

/// What keeps a project from the GPUs that it names by number, each at the key to blame: more or fewer of
/// them than the mesh has devices, axes of the mesh that GPUs do not share out, and what their kernels do not
/// compute yet. A GPU is never left out in silence: with `auto`, these are the reasons why the CPU computes,
/// and no problems.
std::vector<Problem> gpuProblems(const Project& project, const ModelFacts& model, std::optional<int> ranks);

/// Decides which GPUs compute the plan's transformer, VAE and encoders: `gpus`, or with `auto` why none does.
/// `auto` takes the real GPU whose predicted run is the shortest, unless the CPU's is shorter; before the
/// rates of both are measured, a discrete GPU counts as faster. Asks the drivers of this system unless
/// `options` say what they answered. The plan has everything but what follows from the video's size, which
/// `replan` adds. Throws as chooseGpus() does.
void planGpus(RunPlan& plan, const PlanOptions& options, const std::function<void(RunPlan& plan)>& replan);

/// The number of each device's GPU, of all devices of the plan's mesh in order, as its own host counts them;
/// none where the CPU computes.
std::vector<int> gpuNumbers(const RunPlan& plan);

/// What may be taken of the memory of each of these GPUs, by each device on it: of the one that has the
/// least.
std::uint64_t freeOfEach(std::span<const ChosenGpu> gpus);

/// Keeps as many layers in the GPU's memory as it has room for, and on the CPU the VAE and the encoders where
/// they do not fit, which the plan says; the encoders give way first. Throws Error{Resources} with numbers
/// and what to do when there is no room for the rest; a plan for `auto` goes back to the CPU instead and says
/// so. `replan` is as for fitIntoMemory().
void fitIntoGpu(RunPlan& plan, const std::function<void(RunPlan& plan)>& replan);

}  // namespace meshreel
