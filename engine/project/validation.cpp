// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "engine/attention/attention_mode.h"
#include "engine/attention/flash_blocks.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

using Problems = std::vector<ProjectProblem>;

constexpr std::array<std::string_view, 4> iciAxes{"ici_data_parallelism", "ici_fsdp_parallelism",
                                                  "ici_context_parallelism", "ici_tensor_parallelism"};
constexpr std::array<std::string_view, 4> dcnAxes{"dcn_data_parallelism", "dcn_fsdp_parallelism",
                                                  "dcn_context_parallelism", "dcn_tensor_parallelism"};

void requirePrompt(const Project& project, Problems& problems) {
    if (project.prompt.find_first_not_of(" \t\r\n") == std::string::npos)
        problems.push_back(
            {.key = "prompt",
             .message = "The prompt is empty",
             .hint = "Say what the video should show, for example prompt: a red ball moving right"});
}

void requireNestedBlocks(const Project& project, Problems& problems) {
    const std::int64_t outer = project.blockKv > 0 ? project.blockKv : FlashBlockSizes::defaultSize;
    const std::int64_t inner = project.blockKvCompute;
    if (inner <= 0 || outer % inner == 0)
        return;
    problems.push_back(
        {.key = "flash_block_sizes.block_kv_compute",
         .message = fmt::format("block_kv_compute is {}, which does not divide block_kv ({})", inner, outer),
         .hint = fmt::format("The nearest legal value is {}", nearestKvCompute(outer, inner))});
}

void requireOneAutomaticAxis(std::span<const std::string_view> keys, const Project& project,
                             Problems& problems) {
    const auto isAutomatic = [&project](std::string_view name) {
        return valueText(project, *findProjectKey(name)) == "-1";
    };
    if (std::ranges::count_if(keys, isAutomatic) < 2)
        return;
    const auto second = std::find_if(std::ranges::find_if(keys, isAutomatic) + 1, keys.end(), isAutomatic);
    problems.push_back({.key = std::string(*second),
                        .message = fmt::format("{} is a second axis of -1", *second),
                        .hint = "Only one axis can take the devices that are left; write 1 here"});
}

void requireRunningMode(const Project& project, Problems& problems) {
    const AttentionMode* mode = findAttentionMode(project.attention);
    if (mode == nullptr || mode->runs)
        return;
    problems.push_back(
        {.key = "attention",
         .message = fmt::format("The attention mode {} does not run in this version", mode->name),
         .hint = std::string(mode->instead)});
}

/// This version computes on one device: axes are 1, or -1 for what is left, which is 1.
void requireOneDevice(std::span<const std::string_view> axes, const Project& project, Problems& problems) {
    for (const std::string_view name : axes) {
        const std::int64_t devices = project.*std::get<std::int64_t Project::*>(findProjectKey(name)->member);
        if (devices > 1)
            problems.push_back({.key = std::string(name),
                                .message = fmt::format("{} asks for {} devices, and this version runs on one",
                                                       name, devices),
                                .hint = "Write 1; --workers sets the threads that compute"});
    }
}

void noteUnusedNegativePrompt(const Project& project, Problems& problems) {
    if (project.guidanceScale <= 1.0 && !project.negativePrompt.empty())
        problems.push_back({.severity = Severity::Warning,
                            .key = "negative_prompt",
                            .message = "negative_prompt is not used, because guidance_scale is 1 or less"});
}

void noteInactiveValues(const Project& project, Problems& problems) {
    for (const ProjectKey& key : projectKeys()) {
        if (key.inactive.empty() || isDefault(project, key))
            continue;
        problems.push_back({.severity = Severity::Warning,
                            .key = std::string(key.name),
                            .message = fmt::format("{}: {} has no effect: {}", key.name,
                                                   valueText(project, key), key.inactive)});
    }
}

}  // namespace

std::vector<ProjectProblem> validate(const Project& project) {
    Problems problems;
    for (const ProjectKey& key : projectKeys())
        if (auto problem = checkValue(project, key))
            problems.push_back(*std::move(problem));
    requirePrompt(project, problems);
    requireNestedBlocks(project, problems);
    requireRunningMode(project, problems);
    for (const std::span<const std::string_view> axes : {std::span(iciAxes), std::span(dcnAxes)}) {
        requireOneAutomaticAxis(axes, project, problems);
        requireOneDevice(axes, project, problems);
    }
    noteUnusedNegativePrompt(project, problems);
    noteInactiveValues(project, problems);
    return problems;
}

}  // namespace meshreel
