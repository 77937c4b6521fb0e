// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"

namespace meshreel {

/// What keeps GPUs from computing a project on this model, each at the key to blame: more or fewer GPUs than
/// the mesh has devices, axes of the mesh that GPUs do not share out, and what their kernels do not compute
/// yet. With `auto`, these are the reasons why the CPU computes, and no problems.
std::vector<Problem> gpuObstacles(const Project& project, const ModelFacts& model, std::optional<int> ranks);

/// gpuObstacles() of a project that names its GPUs by number: a GPU is never left out in silence.
std::vector<Problem> gpuProblems(const Project& project, const ModelFacts& model, std::optional<int> ranks);

}  // namespace meshreel
