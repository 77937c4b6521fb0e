// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/runs/past_runs.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/models/project_document.h"

namespace meshreel {

/// One way to share out the work between the devices there are.
struct Factoring {
    MeshShape shape;  ///< of the whole mesh
    ContextSplit split;
    const AttentionMode* mode = nullptr;
    std::int64_t bytesPerStep = 0;              ///< that the busiest device receives
    std::optional<PredictedSeconds> step = {};  ///< nothing where no seconds can be predicted
    bool isCurrent = false;                     ///< the project has it
    std::vector<KeyText> changes;               ///< that give it to the project
};

/// Every legal factoring of `devices` devices for the plan's attention mode and those that share out tokens
/// otherwise: the fastest first by what `basis` predicts, the least exchange first where it is null or
/// predicts nothing. Axes between hosts stay as they are; devices that they do not divide have no factorings.
std::vector<Factoring> legalFactorings(const RunPlan& plan, int devices,
                                       const PredictionBasis* basis = nullptr);

}  // namespace meshreel
