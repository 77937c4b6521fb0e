// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/timing/trace_reader.h"

namespace meshreel {

/// What a device does at a moment of a denoising step.
enum class LaneActivity : std::uint8_t {
    Attention,  ///< computes attention
    Computing,  ///< computes anything else
    Exchange,   ///< moves data to and from other devices, or waits for them
};
inline constexpr std::size_t laneActivities = 3;

/// How one device spent the time, cut into equal bins: for each activity the share of every bin, 0 to 1. They
/// sum to 1 where the device worked on a step for the whole bin.
struct Lane {
    int thread = 0;
    std::array<std::vector<double>, laneActivities> share;
};

struct LaneOccupancy {
    double start = 0;    ///< of the first step, seconds since the trace was made
    double seconds = 0;  ///< to the end of the last step
    std::vector<Lane> lanes;
};

/// Lanes of all threads that worked on denoising steps (spans of category "step"), `bins` of equal length
/// over all steps. No lanes when the trace holds no step. `bins` is at least 1.
LaneOccupancy laneOccupancy(std::span<const TracedSpan> trace, std::size_t bins);

}  // namespace meshreel
