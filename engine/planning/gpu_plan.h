// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/estimates/placement.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"

namespace meshreel {

/// Returns the number of each device's GPU, for all devices of the plan's mesh in order, as its own host
/// counts them; none when the CPU computes.
std::vector<int> gpuNumbers(const RunPlan& plan);

/// Places every part on the CPU; `passedOver` says which alternatives were rejected.
Placed placeOnCpu(const RunTask& task, const std::vector<PassedOver>& passedOver);

/// Returns the rejected alternatives, if the CPU computes all parts of a placement, for placeOnCpu().
std::vector<PassedOver> whyOnCpu(const Placement& placement);

/// A placement on GPUs.
struct GpuPlacement {
    Placed placed;
    std::optional<Problem> shortage;  ///< their memory does not hold even this, the least
};

/// Looks for the first placement on these GPUs, one for each device of the process, that their memory holds,
/// in this order: the VAE decodes whole frames, or in 2, 4, 8 strips in turn; its encoder moves to the CPU
/// where that alone does not fit; all layers of the transformers stay, or as many as fit; the whole VAE moves
/// to the CPU. Last, each encoder moves to the GPU where there is room for it and its heads fit.
/// `left`: why not others.
GpuPlacement placeOnGpus(const RunTask& task, const std::vector<ChosenGpu>& gpus,
                         const std::vector<PassedOver>& left = {});

/// Places the run where `gpus` says, or with `auto` on the real GPU whose predicted run is the shortest,
/// unless the CPU's is shorter; before the rates of both are measured, a discrete GPU counts as faster. Asks
/// the drivers of this system unless `options` say what they answered. Throws as chooseGpus() does, and
/// Error{Resources} with numbers and what to do when the named GPUs have too little memory; `auto` takes the
/// CPU then.
Placed placeRun(const RunTask& task, const PlanOptions& options);

}  // namespace meshreel
