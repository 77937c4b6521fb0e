// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/project_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "engine/base/error.h"
#include "engine/mesh/machine_load.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/model/adapters.h"
#include "engine/planning/model/assembled_model.h"
#include "engine/planning/model/distilled_adapters.h"
#include "engine/planning/model/models_for_task.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/planning/task_choice.h"
#include "engine/planning/video_shape.h"
#include "engine/project/number_list.h"
#include "engine/project/project_settings.h"
#include "engine/project/validation/mesh_validation.h"

namespace meshreel {

namespace {

constexpr std::string_view modelKey = "pretrained_model_name_or_path";

/// What is asked of a second transformer that is not there, or left open where it is.
std::vector<ProjectProblem> expertProblems(const Project& project, const ModelFacts& model) {
    std::vector<ProjectProblem> problems;
    const bool two = model.experts() == 2;
    const auto refuseForOne = [&](const std::string& key, double value) {
        if (!two && value > 0)
            problems.push_back(
                {.key = key,
                 .message = sentence("{} is for models with two transformers, and this has one", key),
                 .hint = sentence("Remove the line, or use guidance_scale")});
    };
    refuseForOne("guidance_scale_high", project.guidanceScaleHigh);
    refuseForOne("guidance_scale_low", project.guidanceScaleLow);
    refuseForOne("boundary_ratio", project.boundaryRatio);
    if (two && project.boundaryRatio == 0 && !model.boundaryRatio)
        problems.push_back(
            {.key = "boundary_ratio",
             .message = sentence("the model has two transformers and does not say where the second "
                                 "takes over"),
             .hint = sentence("Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 "
                              "(image to video)")});
    return problems;
}

/// A scale for each VACE block, or one for all.
std::vector<ProjectProblem> controlProblems(const Project& project, const ModelFacts& model) {
    const auto read = parseNumbers(project.conditioningScale);
    const auto* scales = std::get_if<std::vector<double>>(&read);
    const std::size_t blocks = model.transformer.vaceLayers.size();
    if (blocks == 0 || scales == nullptr || scales->size() == 1 || scales->size() == blocks)
        return {};
    return {{.key = "conditioning_scale",
             .message = sentence("conditioning_scale holds {} numbers, and the model has {} VACE blocks",
                                 scales->size(), blocks),
             .hint = sentence("Write one number for all, or one for each")}};
}

}  // namespace

std::vector<ProjectProblem> modelProblems(const Project& project, const ModelFacts& model,
                                          std::optional<int> ranks) {
    std::vector<ProjectProblem> problems = projectMeshProblems(project, ranks,
                                                               {.heads = model.transformer.heads,
                                                                .headDim = model.transformer.headDim,
                                                                .feedForward = model.transformer.ffnDim});
    std::ranges::move(expertProblems(project, model), std::back_inserter(problems));
    std::ranges::move(controlProblems(project, model), std::back_inserter(problems));
    std::ranges::move(stepCacheProblems(project, model), std::back_inserter(problems));
    std::ranges::move(chooseTask(project, *model.family).problems, std::back_inserter(problems));
    try {
        static_cast<void>(latentShapeOf(project, model));
    } catch (const Error& refused) {
        problems.push_back({.key = refused.where(), .message = refused.message(), .hint = refused.hint()});
    }
    return problems;
}

std::vector<ProjectProblem> loadProblems(const Project& project, int ranks, int cpus) {
    const auto resolved = resolveMesh(meshRequest(project, ranks));
    const auto* layout = std::get_if<MeshLayout>(&resolved);
    if (layout == nullptr)
        return {};
    const std::optional<Overload> overload = deviceOverload(layout->devices() / ranks, cpus);
    if (!overload)
        return {};
    return {{.key = "devices", .message = overload->message, .hint = overload->hint}};
}

void suggestModels(std::vector<ProjectProblem>& problems, const Project& project, const ModelFacts& model) {
    const TaskChoice choice = chooseTask(project, *model.family);
    if (offers(*model.family, choice.task))
        return;
    const auto refused =
        std::ranges::find(problems, choice.problems.front().message, &ProjectProblem::message);
    if (refused == problems.end())
        return;
    const std::vector<std::string> names = installedModelsFor(choice.task);
    if (names.empty())
        return;
    refused->hint = sentence("{}; installed: {}", refused->hint, fmt::to_string(fmt::join(names, ", ")));
    for (const std::string& name : names)
        refused->cures.push_back({{.key = std::string(modelKey), .value = name}});
}

namespace {

constexpr std::string_view presetKey = "preset";

std::vector<ProjectProblem> adapterProblems(const Project& project, const ModelFacts& model,
                                            const std::filesystem::path& folder) {
    try {
        static_cast<void>(planAdapters(adaptersOf(project, *model.family, folder), folder));
    } catch (const Error& refused) {
        if (refused.where() == presetKey)
            return {{.key = refused.where(), .message = refused.message(), .hint = refused.hint()}};
        return {{.key = "lora",
                 .message = sentence("{}: {}", refused.where(), refused.message()),
                 .hint = refused.hint()}};
    }
    return {};
}

}  // namespace

std::vector<ProjectProblem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks) {
    try {
        const std::filesystem::path folder = modelFolderOf(project);
        const ModelFacts model = readModelFacts(folder);
        std::vector<ProjectProblem> problems = modelProblems(project, model, ranks);
        suggestModels(problems, project, model);
        std::ranges::move(adapterProblems(project, model, folder), std::back_inserter(problems));
        return problems;
    } catch (const Error&) {
        return {};
    }
}

std::vector<std::string> adapterDescriptions(const Project& project) {
    std::vector<std::string> descriptions;
    if (project.lora.empty() && !wantsDistilledAdapter(project))
        return descriptions;
    try {
        const std::filesystem::path folder = modelFolderOf(project);
        const ModelFacts model = readModelFacts(folder);
        for (const PlannedAdapter& planned : planAdapters(adaptersOf(project, *model.family, folder), folder))
            descriptions.push_back(describeAdapter(planned).text());
    } catch (const Error&) {
        return {};
    }
    return descriptions;
}

}  // namespace meshreel
