// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/timing/device_time.h"
#include "engine/timing/trace_reader.h"

namespace meshreel {

/// What a device does at a moment of a denoising step, as far as its source can tell.
enum class LaneActivity : std::uint8_t {
    Computing,
    Exchanging,       ///< moves bytes between devices with its own workers
    Waiting,          ///< stands still until others are ready
    Attention,        ///< computes attention
    Elsewhere,        ///< does anything but attention
    MovingOrWaiting,  ///< exchanges what attention needs, or waits for it
};

/// How one device spent the time, cut into equal bins.
struct Lane {
    int number = 0;  ///< of the device in the mesh, or of the thread in the trace
    /// For each activity of the occupancy the share of every bin, 0 to 1. They sum to 1 where the device
    /// worked on a step for the whole bin.
    std::vector<std::vector<double>> share;
};

struct LaneOccupancy {
    std::vector<LaneActivity> activities;
    double seconds = 0;  ///< from the begin of the first step to the end of the last one
    std::vector<Lane> lanes;
};

/// Lanes of all devices by their counters, steps one after the other: what lay between them is left out.
/// Within a step, shares are even. No lanes without steps. `bins`, of equal length, is at least 1.
LaneOccupancy laneOccupancy(std::span<const StepDeviceTimes> steps, std::size_t bins);

/// Lanes of all threads that worked on denoising steps (spans of category "step"). No lanes when the trace
/// holds no step. `bins` as above.
LaneOccupancy tracedOccupancy(std::span<const TracedSpan> trace, std::size_t bins);

}  // namespace meshreel
