// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/project/project.h"
#include "engine/timing/timing_summary.h"

namespace meshreel::testing {

/// Four devices in two dimensions, which the embedded model can do; prompt, name and seed as people have
/// them.
Project filledProject();

/// What a run of it took, as told by a machine that nobody has.
TimingSummary filledTimings();

/// Past runs of it on disk.
struct FilledRuns {
    std::filesystem::path done;    ///< four devices: video, times of devices, trace, memory, tags and a note
    std::filesystem::path alone;   ///< the same video on one device, two steps of which a cache has made
    std::filesystem::path failed;  ///< with the reason, in its first step
    std::filesystem::path cancelled;  ///< half-way: it can go on
};

/// Writes them into `folder`.
FilledRuns writeFilledRuns(const std::filesystem::path& folder);

}  // namespace meshreel::testing
