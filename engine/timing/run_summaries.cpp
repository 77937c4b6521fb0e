// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_summaries.h"

namespace meshreel {

std::string runSummaries(std::span<const RunRecord> runs) {
    std::string text;
    for (const RunRecord& run : runs)
        if (run.timings)
            text += formatTimingSummary(*run.timings, run.name);
    return text;
}

}  // namespace meshreel
