// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/timing/step_record.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// Returns a row for each step and device: their numbers, of the first step `firstStep` and of the first
/// device 0, seconds, and bytes received.
DataTable deviceTimeTable(std::span<const StepDeviceTimes> steps, int firstStep = 0);

/// Reads toCsv(deviceTimeTable()) back, without what a write that was cut short left of its last step. Throws
/// Error{Input} for other text.
std::vector<StepDeviceTimes> parseDeviceTimes(std::string_view csv);

/// What a device does at a moment of a denoising step, as far as the source shows it.
enum class LaneActivity : std::uint8_t {
    Computing,
    Exchanging,       ///< moves bytes between devices with its own workers
    Waiting,          ///< idle until others are ready
    Attention,        ///< computes attention
    Elsewhere,        ///< does anything but attention
    MovingOrWaiting,  ///< exchanges what attention needs, or waits for it
    HostOnly,         ///< its GPU is idle while the CPU prepares work or takes results
};

/// How one device spent the time, bin by bin.
struct Lane {
    int number = 0;  ///< number of the device in the mesh, or of the thread in the trace
    /// For each activity of the occupancy the share of every bin, 0 to 1. They sum to 1 when the device
    /// worked on a step for the whole bin.
    std::vector<std::vector<double>> share;
};

struct LaneOccupancy {
    std::vector<LaneActivity> activities;
    double seconds = 0;  ///< from the beginning of the first step to the end of the last one
    /// Where bins begin, and where the last one ends, in seconds from the begin of the first step.
    std::vector<double> borders;
    std::vector<Lane> lanes;
};

/// A part of an occupancy, in seconds from the begin of the first step. Within 0 and its seconds, and not
/// empty.
struct OccupancyPart {
    double from = 0;
    double to = 0;
};

/// Returns whether GPUs computed, and counted their time.
bool haveGpus(std::span<const StepDeviceTimes> steps);

/// Returns lanes of all devices from their counters, with the steps one after the other and without the time
/// between them. Within a step, shares are even: a bin is a step, or, when the part (none: the whole) has
/// more than `bins` steps, one of `bins` of equal length. No lanes without steps. `bins` is at least 1.
LaneOccupancy laneOccupancy(std::span<const StepDeviceTimes> steps, std::size_t bins,
                            const std::optional<OccupancyPart>& part = {});

/// Returns lanes of all threads that worked on denoising steps (spans of category "step"), in `bins` of equal
/// length. No lanes when the trace holds no step. `bins` and `part` as above.
LaneOccupancy tracedOccupancy(std::span<const TracedSpan> trace, std::size_t bins,
                              const std::optional<OccupancyPart>& part = {});

}  // namespace meshreel
