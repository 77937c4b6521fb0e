// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/timing/run_record.h"

namespace meshreel {

/// A run's speed among runs of the same size on other numbers of devices.
struct ScalingPoint {
    std::string run;
    int devices = 1;
    double stepSeconds = 0;
    double speed = 0;       ///< against the slowest run on the fewest devices of this size, which has 1
    double efficiency = 0;  ///< speed over the growth of the number of devices
};

/// The points of one attention mode at one size, by rising number of devices.
struct ScalingLine {
    std::string attention;
    std::string size;  ///< "832x480x17"
    std::vector<ScalingPoint> points;
};

/// A line for each attention mode and size, in the order of their first runs. Runs without a step are left
/// out.
std::vector<ScalingLine> scalingLines(std::span<const RunRecord> runs);

}  // namespace meshreel
