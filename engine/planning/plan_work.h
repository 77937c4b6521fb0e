// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/estimates/placement.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/work.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"

namespace meshreel {

/// Returns the work of one denoising step on the task's busiest device, guided or not, with a text of so many
/// tokens besides padding; as GPUs compute it if the placement has GPUs. Reads only these parts of the task:
/// the transformer's config and layers, project.maxSequenceLength, layout, attention, precision, tokens, the
/// frames and videos of latentShape, `task`, `passes`, `guided` and drivingKeys; of the placement its GPUs
/// and resident layers.
Work stepWork(const RunTask& task, const Placement& placement, std::int64_t textTokens);

/// Returns the frames of each video and image of the video's size that the VAE encodes in a run.
std::vector<std::int64_t> encodedFrames(const RunPlan& plan);

/// Returns the work of a run from the beginning, without anything from caches: the prompts are encoded, the
/// weights packed.
RunWork measureWork(const RunPlan& plan);

}  // namespace meshreel
