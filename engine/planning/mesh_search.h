// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/context_split.h"
#include "engine/base/problem.h"
#include "engine/estimates/prediction.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// One legal way to divide the work of a run between its devices.
struct LegalMesh {
    MeshLayout layout;
    ContextSplit split;
    const AttentionMode* mode = nullptr;
    std::int64_t mostHeads = 0;          ///< that a device computes in self-attention
    double headEfficiency = 1;           ///< mean of the devices' heads, against these; 1: all have as many
    std::int64_t bytesPerStep = 0;       ///< that the busiest device receives
    std::int64_t bytesBetweenHosts = 0;  ///< that the busiest host receives from the others in a step
    std::uint64_t memory = 0;  ///< bytes of a process in its largest stage, or of a device of other hardware
    bool fits = true;          ///< the memory that the plan found is enough
    std::optional<PredictedSeconds> step = {};  ///< seconds of a step; nothing when it cannot be predicted
    bool isCurrent = false;                     ///< the project divides the same work to the same hosts
    KeyChanges changes = {};                    ///< that give the mesh to the project
};

/// Bytes that a mesh takes and may take.
struct MeshMemory {
    std::uint64_t peak = 0;
    std::uint64_t limit = 0;
};

/// What a search for meshes knows besides the plan.
struct MeshSearch {
    std::vector<int> hostRanks = {};  ///< ranks that each host takes; fewer than two: this machine alone
    /// Predicts a plan's seconds. Empty: meshes are ranked by their exchange.
    std::function<std::optional<Prediction>(const RunPlan&)> predict = {};
    /// What a device of other hardware holds and has. Empty: the plan's memory on this machine decides.
    std::function<MeshMemory(const RunPlan&)> memory = {};
    /// Modes that are tried beside the plan's; empty: one of each way to divide tokens.
    std::vector<const AttentionMode*> modes = {};
};

/// Returns every legal mesh of the plan's devices, for the plan's attention mode and one mode of each other
/// way to divide tokens; each mesh once. The axes between hosts multiply to the number of hosts, so that
/// every ici axis lies inside one; without several hosts, to what those of the plan do. Hosts with unlike
/// slots count as several equal ones with as many slots as divide all. Meshes that the end of a host would
/// cut through are left out, even the plan's own.
///
/// Returns the meshes that fit into memory first; ranked by predicted seconds a step, in which all wait for
/// the device with most heads, then by bytes a device receives, then by bytes between hosts.
std::vector<LegalMesh> legalMeshes(const RunPlan& plan, const MeshSearch& search = {});

/// One legal number of devices along an axis; those along the others stay.
struct AxisChoice {
    int extent = 1;  ///< extent over the whole mesh
    MeshLayout layout;
    ContextSplit split;
    KeyChanges changes;  ///< that give it to the project
};

/// Indexed by MeshAxis.
using AxisChoices = std::array<std::vector<AxisChoice>, meshAxes.size()>;

/// Returns every legal number of devices along each axis for the plan's attention mode, ascending, the plan's
/// own among them, in meshes of 64 devices at most. Where ulysses_shards does not divide an extent of the
/// context axis, the nearest legal number takes its place.
AxisChoices legalExtents(const RunPlan& plan);

}  // namespace meshreel
