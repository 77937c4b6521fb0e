// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/project_check.h"

#include "engine/base/error.h"
#include "engine/planning/model_library.h"
#include "engine/planning/video_shape.h"
#include "engine/project/mesh_validation.h"

namespace meshreel {

std::vector<ProjectProblem> modelProblems(const Project& project, const ModelFacts& model,
                                          std::optional<int> ranks) {
    std::vector<ProjectProblem> problems = projectMeshProblems(project, ranks,
                                                               {.heads = model.transformer.heads,
                                                                .headDim = model.transformer.headDim,
                                                                .feedForward = model.transformer.ffnDim});
    try {
        static_cast<void>(latentShapeOf(project, model));
    } catch (const Error& refused) {
        problems.push_back({.key = refused.where(), .message = refused.message(), .hint = refused.hint()});
    }
    return problems;
}

std::vector<ProjectProblem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks) {
    try {
        return modelProblems(project, readModelFacts(findModel(project.model)), ranks);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace meshreel
