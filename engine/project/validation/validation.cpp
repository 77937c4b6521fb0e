// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/sentence.h"
#include "engine/project/batch.h"
#include "engine/project/number_list.h"
#include "engine/project/project_keys.h"
#include "engine/project/sampling_preset.h"
#include "engine/project/validation/mesh_validation.h"
#include "engine/project/validation/precision_validation.h"
#include "engine/project/validation/step_cache_validation.h"

namespace meshreel {
namespace {

using Problems = std::vector<ProjectProblem>;

void requirePrompt(const Project& project, Problems& problems) {
    if (batchItems(project).front().prompt.find_first_not_of(" \t\r\n") == std::string::npos)
        problems.push_back(
            {.key = "prompt",
             .message = sentence("The prompt is empty"),
             .hint =
                 sentence("Say what the video should show, for example prompt: a red ball moving right")});
}

void refuseToSendAdapters(const Project& project, Problems& problems) {
    const SamplingPreset* preset = findSamplingPreset(project.preset);
    const bool adapted = !project.lora.empty() || (preset != nullptr && preset->findsAdapter);
    if (project.broadcastWeights && adapted)
        problems.push_back({.key = "broadcast_weights",
                            .message = sentence("broadcast_weights sends a model's folder, and no adapters"),
                            .hint = sentence("Copy model and adapters to every host, and write false")});
}

void noteUnusedNegativePrompt(const Project& project, Problems& problems) {
    if (project.guidanceScale <= 1.0 && !project.negativePrompt.empty())
        problems.push_back(
            {.severity = Severity::Warning,
             .key = "negative_prompt",
             .message = sentence("negative_prompt is not used, because guidance_scale is 1 or less")});
}

void noteInactiveValues(const Project& project, Problems& problems) {
    for (const ProjectKey& key : projectKeys()) {
        if (key.inactive.empty() || isDefault(project, key))
            continue;
        const std::string line = fmt::format("{}: {}", key.name, valueText(project, key));
        problems.push_back({.severity = Severity::Warning,
                            .key = std::string(key.name),
                            .message = sentence("{} has no effect: {}", line, tableText(key.inactive))});
    }
}

/// Nothing is wrong with them, but a preset of values that are all written beside it does nothing.
void notePresetReplaced(const Project& project, Problems& problems) {
    for (const std::string_view name : presetKeys(project, false)) {
        const ProjectKey& key = *findProjectKey(name);
        problems.push_back(
            {.severity = Severity::Warning,
             .key = std::string(name),
             .message = sentence("{} is {} in place of the {} of preset {}", name, valueText(project, key),
                                 defaultText(key, project), project.preset)});
    }
}

}  // namespace

std::vector<ProjectProblem> validate(const Project& project) {
    Problems problems;
    for (const ProjectKey& key : projectKeys())
        if (auto problem = checkValue(project, key))
            problems.push_back(*std::move(problem));
    const bool everyValueIsLegal = problems.empty();
    requirePrompt(project, problems);
    std::ranges::move(numberListProblems(project), std::back_inserter(problems));
    std::ranges::move(batchProblems(project), std::back_inserter(problems));
    if (everyValueIsLegal) {
        std::ranges::move(precisionProblems(project), std::back_inserter(problems));
        std::ranges::move(stepCacheProblems(project), std::back_inserter(problems));
        std::ranges::move(projectMeshProblems(project), std::back_inserter(problems));
    }
    refuseToSendAdapters(project, problems);
    noteUnusedNegativePrompt(project, problems);
    noteInactiveValues(project, problems);
    notePresetReplaced(project, problems);
    return problems;
}

}  // namespace meshreel
