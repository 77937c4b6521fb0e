// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/axis_choices.h"

#include <algorithm>
#include <cstdlib>

#include "engine/planning/project_check.h"
#include "engine/planning/run_work.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"

namespace meshreel {

namespace {

KeyText keyText(std::string_view name, const std::string& text) {
    return {findProjectKey(name), QString::fromStdString(text)};
}

}  // namespace

std::vector<KeyText> meshChanges(const MeshLayout& now, const MeshLayout& wanted, const AttentionMode& mode,
                                 int ulyssesShards) {
    std::vector<KeyText> changes{keyText("attention", std::string(mode.name)),
                                 keyText("devices", std::to_string(wanted.devices())),
                                 keyText("ulysses_shards", std::to_string(ulyssesShards))};
    const auto add = [&](MeshLevel level, const MeshShape& shape) {
        for (const MeshAxis axis : meshAxes)
            changes.push_back(keyText(axisKey(level, axis), std::to_string(shape.extent(axis))));
    };
    add(MeshLevel::Ici, wanted.ici());
    if (wanted.dcn() != now.dcn())
        add(MeshLevel::Dcn, wanted.dcn());
    return changes;
}

std::optional<RunPlan> planWith(const RunPlan& plan, const std::vector<KeyText>& changes) {
    RunPlan other = plan;
    for (const KeyText& change : changes)
        if (trySetFromText(other.project, *change.key, change.text.toStdString()))
            return {};
    // A new warning tells of devices without work.
    const std::vector<ProjectProblem> problems = validate(other.project);
    if (hasErrors(problems) || problems.size() > validate(plan.project).size() ||
        !modelProblems(other.project, plan.model, plan.ranks).empty())
        return {};
    auto layout = resolveMesh(meshRequest(other.project, plan.ranks));
    if (std::holds_alternative<MeshFault>(layout))
        return {};
    other.layout = std::get<MeshLayout>(layout);
    other.attention = attentionSettings(other.project);
    other.attention.blocks = resolveFlashBlocks(other.attention.blocks);
    return other;
}

std::vector<int> divisorsOf(int number) {
    std::vector<int> divisors;
    for (int divisor = 1; divisor <= number; ++divisor)
        if (number % divisor == 0)
            divisors.push_back(divisor);
    return divisors;
}

namespace {

constexpr int mostDevices = 64;  ///< more cannot be told apart in a drawing

MeshShape withExtent(const MeshShape& shape, MeshAxis changed, int extent) {
    const auto along = [&](MeshAxis axis) { return axis == changed ? extent : shape.extent(axis); };
    return {.data = along(MeshAxis::Data),
            .fsdp = along(MeshAxis::Fsdp),
            .context = along(MeshAxis::Context),
            .tensor = along(MeshAxis::Tensor)};
}

/// What ulysses_shards may become with so many devices along the context axis, the nearest first.
std::vector<int> shardsFor(const AttentionSettings& attention, int context) {
    if (!attention.mode->hybrid)
        return {attention.ulyssesShards};
    std::vector<int> shards = divisorsOf(context);
    std::ranges::stable_sort(shards, {},
                             [&](int number) { return std::abs(number - attention.ulyssesShards); });
    return shards;
}

}  // namespace

std::vector<AxisChoice> legalExtents(const RunPlan& plan, MeshAxis axis) {
    const MeshLayout& now = plan.layout;
    const int others = now.devices() / now.ici().extent(axis);
    std::vector<AxisChoice> choices;
    for (int extent = 1; extent * others <= std::max(mostDevices, now.devices()); ++extent) {
        const MeshLayout wanted(withExtent(now.ici(), axis, extent), now.dcn());
        for (const int shards : shardsFor(plan.attention, wanted.shape().context)) {
            std::vector<KeyText> changes = meshChanges(now, wanted, *plan.attention.mode, shards);
            const std::optional<RunPlan> other = planWith(plan, changes);
            if (!other)
                continue;
            choices.push_back({.extent = other->layout.shape().extent(axis),
                               .layout = other->layout,
                               .split = effectiveAttention(*other).split,
                               .changes = std::move(changes)});
            break;
        }
    }
    return choices;
}

AxisChoices legalExtents(const RunPlan& plan) {
    AxisChoices choices;
    for (std::size_t axis = 0; axis < meshAxes.size(); ++axis)
        choices.at(axis) = legalExtents(plan, meshAxes.at(axis));
    return choices;
}

}  // namespace meshreel
