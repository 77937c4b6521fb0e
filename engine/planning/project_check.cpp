// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/project_check.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "engine/base/error.h"
#include "engine/planning/model_library.h"
#include "engine/planning/video_shape.h"
#include "engine/project/mesh_validation.h"

namespace meshreel {

namespace {

/// What is asked of a second transformer that is not there, or left open where it is.
std::vector<ProjectProblem> expertProblems(const Project& project, const ModelFacts& model) {
    std::vector<ProjectProblem> problems;
    const bool two = model.experts() == 2;
    const auto refuseForOne = [&](std::string key, double value) {
        if (!two && value > 0)
            problems.push_back({.key = key,
                                .message = key + " is for models with two transformers, and this has one",
                                .hint = "Remove the line, or use guidance_scale"});
    };
    refuseForOne("guidance_scale_high", project.guidanceScaleHigh);
    refuseForOne("guidance_scale_low", project.guidanceScaleLow);
    refuseForOne("boundary_ratio", project.boundaryRatio);
    if (two && project.boundaryRatio == 0 && !model.boundaryRatio)
        problems.push_back({.key = "boundary_ratio",
                            .message = "the model has two transformers and does not say where the second "
                                       "takes over",
                            .hint = "Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 (image to "
                                    "video)"});
    return problems;
}

}  // namespace

std::vector<ProjectProblem> modelProblems(const Project& project, const ModelFacts& model,
                                          std::optional<int> ranks) {
    std::vector<ProjectProblem> problems = projectMeshProblems(project, ranks,
                                                               {.heads = model.transformer.heads,
                                                                .headDim = model.transformer.headDim,
                                                                .feedForward = model.transformer.ffnDim});
    std::ranges::move(expertProblems(project, model), std::back_inserter(problems));
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
