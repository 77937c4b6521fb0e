// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/mesh/mesh_layout.h"
#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// The sizes of a transformer that a mesh must divide; absent when the model is not at hand.
struct ModelSizes {
    std::optional<std::int64_t> heads = std::nullopt;
    std::optional<std::int64_t> headDim = std::nullopt;
    std::optional<std::int64_t> feedForward = std::nullopt;
};

/// What of the project cannot run on this mesh or idles on it, each problem at the key to blame.
std::vector<ProjectProblem> meshProblems(const Project& project, const MeshLayout& layout,
                                         const ModelSizes& model = {});

/// The same for the mesh that the project describes, and whatever keeps it from being one. A mesh that
/// depends on how many processes are started is only checked for what holds with any number of them, unless
/// `ranks` are known.
std::vector<ProjectProblem> projectMeshProblems(const Project& project, std::optional<int> ranks = {},
                                                const ModelSizes& model = {});

/// Width strips that the VAE is cut into on a mesh of so many devices.
int vaeStrips(const Project& project, int devices);

}  // namespace meshreel
