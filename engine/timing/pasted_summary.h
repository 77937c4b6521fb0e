// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/timing/timing_summary.h"

namespace meshreel {

/// A TIMING SUMMARY block that somebody copied from a terminal, a log or a pull request.
struct PastedSummary {
    std::string title;  ///< what stands in brackets behind "TIMING SUMMARY"; empty without
    TimingSummary timings;
};

/// Every block of the text, in its order. Prefixes of log lines are passed over, "TPU Compute" is Compute,
/// and the rules may be missing. Throws Error{Input} when there is no block, or one lacks a figure that every
/// block has.
std::vector<PastedSummary> parseTimingSummaries(std::string_view text);

}  // namespace meshreel
