// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/driving_plan.h"

#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/project/project.h"

namespace meshreel {
namespace {

bool fitsMemory(const Placed& placed) {
    const MemoryEstimate& memory = placed.memory;
    return memory.peak() <= memory.limit() &&
           (!placed.placement.hasGpus() || memory.devicePeak() <= memory.deviceAvailable);
}

/// Whether all parts are where they are with the least memory, and as many layers stay in it.
bool isPlacedAs(const Placement& placement, const Placement& least) {
    return placement.residentLayers() == least.residentLayers() &&
           placement.gpus.size() == least.gpus.size() &&
           placement.isOnGpu(PlacedPart::Transformer) == least.isOnGpu(PlacedPart::Transformer) &&
           placement.isOnGpu(PlacedPart::TextEncoder) == least.isOnGpu(PlacedPart::TextEncoder) &&
           placement.isOnGpu(PlacedPart::VaeDecoder) == least.isOnGpu(PlacedPart::VaeDecoder);
}

/// Nothing where a GPU that the project asks for is too small.
std::optional<Placed> tryPlacing(const RunTask& task, const PlaceTask& place) {
    try {
        return place(task);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::Internal)
            throw;
        return std::nullopt;
    }
}

}  // namespace

RunTask withDrivingKeys(RunTask task, const PlaceTask& place) {
    if (!task.drivingKeys || task.project.drivingKeys != automaticDrivingKeys)
        return task;
    task.drivingKeys = DrivingKeysUse::Recomputed;
    const Placed least = place(task);
    for (const DrivingKeysRow& row : drivingKeysRows()) {
        if (row.use == DrivingKeysUse::Recomputed)
            continue;
        RunTask kept = task;
        kept.drivingKeys = row.use;
        const std::optional<Placed> placed = tryPlacing(kept, place);
        if (placed && fitsMemory(*placed) && isPlacedAs(placed->placement, least.placement))
            return kept;
    }
    return task;
}

}  // namespace meshreel
