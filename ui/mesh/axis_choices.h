// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "engine/attention/context_split.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/planning/run_plan.h"
#include "ui/models/project_document.h"

namespace meshreel {

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
