// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/axis_choices.h"

#include <algorithm>
#include <cstdlib>

#include "engine/planning/run_work.h"
#include "ui/mesh/mesh_change.h"

namespace meshreel {

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
