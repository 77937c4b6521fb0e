// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

/// The fastest run of each work (haveSameWork()), number of devices and attention mode, with its mesh and
/// block sizes: video, devices, attention, U, R, block_q, block_kv, step_s, denoise_s, inference_s, slower
/// (than the fastest beside it, 1 of the fastest), run; where their work differs, `settings` before the run
/// says in what from that of the first row. By size and devices, the fastest first; of timedRuns() only, but
/// that pasted ones stand last with what they tell.
DataTable bestConfigs(std::span<const RunRecord> runs);

/// The speed of a run among runs of the same work on other numbers of devices, or of its repeats: runs that
/// differ in nothing that a step's seconds depend on. Deviations are standard deviations of the repeats
/// (over their number less one), 0 where there is one run.
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
    std::string settings;  ///< in which its work differs from that of the first line, as differingWork()
    std::vector<ScalingPoint> points;
};

/// A line for each attention mode and work (haveSameWork()), in the order of their first runs, with a point
/// for all repeats of a run. Of timedRuns() only.
std::vector<ScalingLine> scalingLines(std::span<const RunRecord> runs);

}  // namespace meshreel
