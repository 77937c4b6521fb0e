// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/planning/run_plan.h"
#include "ui/models/project_document.h"

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

}  // namespace meshreel
