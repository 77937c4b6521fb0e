// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/runner/progress_display.h"

namespace meshreel {

struct LaunchedRun {
    std::string hostFile;
    int ranks = 0;                       ///< 0: all slots of the hosts
    std::vector<std::string> arguments;  ///< of `meshreel` on every rank, without --json-events
};

/// Launches the ranks and shows what rank 0 tells as if it were here; returns 0. A run folder that rank 0
/// could not mark is marked as failed. Throws Error: what rank 0 ended with, or Device with rank, host and
/// reason.
int runOnHosts(const LaunchedRun& run, ProgressStyle style);

}  // namespace meshreel
