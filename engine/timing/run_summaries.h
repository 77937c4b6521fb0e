// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include "engine/timing/run_record.h"

namespace meshreel {

/// The timing summaries of the finished ones in the published layout, each with the name of its run behind
/// the title, where pastedRuns() finds it. Empty when none is finished.
std::string runSummaries(std::span<const RunRecord> runs);

}  // namespace meshreel
