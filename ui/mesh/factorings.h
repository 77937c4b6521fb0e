// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/runs/launch/host_file.h"
#include "engine/runs/run_forecast.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/models/project_document.h"

namespace meshreel {

/// One way to share out the work between the devices there are.
struct Factoring {
    MeshLayout layout;
    ContextSplit split;
    const AttentionMode* mode = nullptr;
    std::int64_t bytesPerStep = 0;              ///< that the busiest device receives
    std::int64_t bytesBetweenHosts = 0;         ///< that the busiest host receives from the others in a step
    std::optional<PredictedSeconds> step = {};  ///< nothing where no seconds can be predicted
    bool isCurrent = false;                     ///< the project shares out the same work to the same hosts
    std::vector<KeyText> changes;               ///< that give it to the project
};

/// Every legal factoring of the plan's devices, and of the hosts that take its ranks, for the plan's
/// attention mode and those that share out tokens otherwise; each once. The axes between hosts multiply to
/// the number of hosts, so that every ici axis lies inside one; without several hosts, to what those of the
/// plan do. Hosts with unlike slots count as several equal ones with as many slots as divide all. A mesh that
/// the end of a host would cut through is not in the list, even where the plan has it.
///
/// The fastest first by what `basis` predicts, the least exchange first where it is null or predicts nothing:
/// of several machines, whose network is not known. Of equals the one that moves the least between hosts.
std::vector<Factoring> legalFactorings(const RunPlan& plan, const std::vector<Host>& hosts = {},
                                       const PredictionBasis* basis = nullptr);

}  // namespace meshreel
