// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/guidance_choice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "engine/project/input_files.h"

namespace meshreel {
namespace {

/// How strongly a step follows what Bernini-R is given beside the prompt.
struct SourceScales {
    double video = 1;
    double pictures = 1;
};

/// Below 1 guidance would go away from a source that the project follows.
double scaledBy(double factor, double scale) {
    return scale > 1 ? std::max(1.0, factor * scale) : scale;
}

SourceScales sourceScales(const Project& project, int experts, int expert) {
    const double first = guidanceOf(project, experts, 1);
    const double factor = expert == 2 && first > 1 ? guidanceOf(project, experts, 2) / first : 1;
    return {.video = scaledBy(factor, project.guidanceScaleVideo),
            .pictures = scaledBy(factor, project.guidanceScaleImage)};
}

/// Scales that one factor was multiplied with may differ in their last bits where those of the project do
/// not; what people write differs by more.
bool isSameScale(double scale, double other) {
    constexpr double rounding = 1e-9;
    return std::abs(scale - other) <= rounding * std::max(std::abs(scale), std::abs(other));
}

/// Adds what goes before the prompt's pass: fewer and fewer groups.
void addSourcePasses(const TokenGroupCounts& groups, const SourceScales& scales, GuidedPasses& passes) {
    passes.push_back({.hearsPrompt = false, .groups = groups.all(), .scale = scales.pictures});
    if (groups.pictures == 0)
        return;
    if (groups.videos > 0)
        passes.push_back({.hearsPrompt = false, .groups = groups.videos, .scale = scales.video});
    passes.push_back({.hearsPrompt = false, .groups = 0});
}

/// Leaves out passes that have no weight: the last one where guidance goes from it with a scale of 1, and one
/// that guidance leaves with the scale with which it comes.
void leaveOutWeightless(GuidedPasses& passes) {
    while (passes.size() > 2 && isSameScale(passes[passes.size() - 2].scale, 1))
        passes.pop_back();
    for (std::size_t index = 0; index + 2 < passes.size();)
        if (isSameScale(passes[index].scale, passes[index + 1].scale))
            passes.erase(passes.begin() + static_cast<std::ptrdiff_t>(index + 1));
        else
            ++index;
    passes.back().scale = 1;
}

}  // namespace

TokenGroupCounts countGroups(const Project& project, WanTask task) {
    const auto filesOf = [&](std::string_view key) { return inputFiles(project, *findInputKey(key)).size(); };
    const std::size_t pictures = filesOf("reference_images");
    if (task == WanTask::SubjectsToVideo)
        return {.pictures = pictures > 0 ? std::size_t{1} : 0};
    if (task == WanTask::SourcesToVideo)
        return {.videos = filesOf("video"), .pictures = pictures};
    if (task == WanTask::ControlToVideo)
        return {.shown = 1};
    if (task == WanTask::SpeechToVideo)
        return {.shown = 2};
    return {};
}

double guidanceOf(const Project& project, int experts, int expert) {
    if (experts == 1)
        return project.guidanceScale;
    const double own = expert == 1 ? project.guidanceScaleHigh : project.guidanceScaleLow;
    return own > 0 ? own : project.guidanceScale;
}

GuidedPasses chooseGuidance(const Project& project, WanTask task, int experts, int expert) {
    const TokenGroupCounts groups = countGroups(project, task);
    const double scale = guidanceOf(project, experts, expert);
    GuidedPasses passes(1);
    passes.front().groups = groups.all();
    if (scale <= 1.0)
        return passes;
    passes.front().scale = scale;
    if (task == WanTask::SourcesToVideo) {
        addSourcePasses(groups, sourceScales(project, experts, expert), passes);
        leaveOutWeightless(passes);
        return passes;
    }
    passes.push_back({.hearsPrompt = false, .groups = groups.all()});
    if (groups.pictures > 0 && project.guidanceScaleImage > 1.0) {
        passes.back().scale = project.guidanceScaleImage;
        passes.push_back({.hearsPrompt = false, .groups = 0});
    }
    return passes;
}

bool sharePass(const GuidedPasses& passes, WanTask task) {
    return passes.size() > 1 && !partsGuidance(task) && passes[0].groups == passes[1].groups;
}

}  // namespace meshreel
