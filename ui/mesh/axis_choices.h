// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/context_split.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/planning/run_plan.h"
#include "ui/project/project_document.h"

namespace meshreel {

/// What gives a project that has the mesh `now` the mesh `wanted`; axes between hosts stay as they are
/// written where they are the same.
std::vector<KeyText> meshChanges(const MeshLayout& now, const MeshLayout& wanted, const AttentionMode& mode,
                                 int ulyssesShards);

/// The plan with the changes: its project, layout and attention, nothing else. Absent when they are not legal
/// or would leave devices without work.
std::optional<RunPlan> planWith(const RunPlan& plan, const std::vector<KeyText>& changes);

/// Ascending.
std::vector<int> divisorsOf(int number);

/// One legal number of devices along an axis; those along the others stay.
struct AxisChoice {
    int extent = 1;  ///< of the whole mesh
    MeshLayout layout;
    ContextSplit split;
    std::vector<KeyText> changes;  ///< that give it to the project
};

/// By MeshAxis.
using AxisChoices = std::array<std::vector<AxisChoice>, meshAxes.size()>;

/// Every legal number of devices along the axis for the plan's attention mode, ascending, the plan's own
/// among them, in meshes of 64 devices at most. Where ulysses_shards does not divide an extent of the
/// context axis, the nearest number that is legal takes its place.
std::vector<AxisChoice> legalExtents(const RunPlan& plan, MeshAxis axis);

/// Of all axes.
AxisChoices legalExtents(const RunPlan& plan);

}  // namespace meshreel
