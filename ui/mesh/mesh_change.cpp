// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_change.h"

#include "engine/planning/project_check.h"
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

}  // namespace meshreel
