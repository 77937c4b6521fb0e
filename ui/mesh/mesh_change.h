// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/mesh/mesh_shape.h"
#include "engine/planning/run_plan.h"
#include "ui/models/project_document.h"

namespace meshreel {

/// What gives a project this mesh inside its hosts; the axes between hosts stay. `devices` in all.
std::vector<KeyText> meshChanges(const MeshShape& ici, const AttentionMode& mode, int ulyssesShards,
                                 int devices);

/// The plan with the changes: its project, layout and attention, nothing else. Absent when they are not legal
/// or would leave devices without work.
std::optional<RunPlan> planWith(const RunPlan& plan, const std::vector<KeyText>& changes);

/// Ascending.
std::vector<int> divisorsOf(int number);

}  // namespace meshreel
