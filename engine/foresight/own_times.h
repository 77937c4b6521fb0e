// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/foresight/hardware_profile.h"
#include "engine/foresight/published_times.h"
#include "engine/project/project.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// Measured times of a project on some hardware: from a run folder, or a pasted TIMING SUMMARY.
struct OwnTimes {
    std::string name;
    std::optional<TimingSummary> timings;
    std::optional<double> stepSeconds;  ///< mean of steps that are not cold
};

/// Returns the times as rows of a table of published times: a row for conditioning, denoising, decoding and
/// the whole where they are known, and for a step. The project's mesh has `devices` devices, unless that is
/// 0.
std::vector<PublishedTime> ownTimeRows(const Project& project, int devices, const OwnTimes& times,
                                       const HardwareProfile& hardware, const std::string& program);

/// Writes a profile that is `base` with the rows: `file`, and the rows in a table beside it, which the
/// profile names. Throws Error{Project} when `file` does not end in .yaml, and as writeFileAtomically().
void writeFittedProfile(const std::filesystem::path& file, const HardwareProfile& base,
                        const std::vector<PublishedTime>& rows);

}  // namespace meshreel
