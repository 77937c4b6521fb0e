// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

/// Returns the fastest run of each work (haveSameWork()), number of devices and attention mode, with its mesh
/// and block sizes: video, devices, attention, U, R, block_q, block_kv, step_s, denoise_s, inference_s,
/// slower (than the fastest with the same work and devices, which has 1), run. If their work differs,
/// `settings` before `run` lists how it differs from that of the first row. Ordered by size and devices, the
/// fastest first; from timedRuns() only, with pasted runs last and with only the columns that they have.
DataTable bestConfigs(std::span<const RunRecord> runs);

/// The speed of a run among runs of the same work on other numbers of devices, or of its repeats: runs that
/// differ in nothing that a step's seconds depend on. Deviations are standard deviations of the repeats (over
/// their number less one), 0 when there is one run.
struct ScalingPoint {
    std::string run;  ///< the first of the repeats
    int devices = 1;
    int repeats = 1;
    double stepSeconds = 0;  ///< mean of the repeats
    double stepDeviation = 0;
    double speed = 0;  ///< against the slowest on the fewest devices of this work, which has 1
    double speedDeviation = 0;
    double efficiency = 0;  ///< speed over the growth of the number of devices
    double efficiencyDeviation = 0;
};

/// The points of one attention mode and one work, by rising number of devices.
struct ScalingLine {
    std::string attention;
    std::string size;      ///< "832x480x17"
    std::string settings;  ///< how its work differs from that of the first line, as differingWork() lists it
    std::vector<ScalingPoint> points;
};

/// Returns a line for each attention mode and work (haveSameWork()), in the order of their first runs, with a
/// point for all repeats of a run. From timedRuns() only.
std::vector<ScalingLine> scalingLines(std::span<const RunRecord> runs);

}  // namespace meshreel
