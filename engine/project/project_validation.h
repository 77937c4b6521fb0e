// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {

/// The sizes of a transformer that a mesh must divide; absent when the model is not available.
struct ModelSizes {
    std::optional<std::int64_t> heads = std::nullopt;
    std::optional<std::int64_t> headDim = std::nullopt;
    std::optional<std::int64_t> feedForward = std::nullopt;
};

/// Returns what in the project cannot run on the mesh that it describes or idles on it, each problem at the
/// key to blame, and whatever keeps it from being a mesh. A mesh that depends on how many processes are
/// started is checked only for what holds with any number of them, unless `ranks` are known.
std::vector<Problem> projectMeshProblems(const Project& project, std::optional<int> ranks = {},
                                         const ModelSizes& model = {});

/// Width strips that the VAE is cut into on a mesh of so many devices.
int vaeStrips(const Project& project, int devices);

/// Returns the step caches that the project switches on.
std::vector<const StepCacheRow*> chosenStepCaches(const Project& project);

/// Returns what is wrong with step caches whatever the model: several at once, no guidance, curves that are
/// none.
std::vector<Problem> stepCacheProblems(const Project& project);

/// Returns what is wrong with the guidance of a cache that needs it, on a model; `twoExperts`: each of the
/// two scales counts. Returns nothing if stepCacheProblems() has reported it already.
std::vector<Problem> guidanceProblems(const Project& project, const StepCacheRow& row, bool twoExperts);

/// Returns why numbers are not a MagCache curve; empty when they are.
Sentence faultOfMagRatios(std::span<const double> ratios);

}  // namespace meshreel
