// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

#include "engine/runs/records/run_record.h"

namespace meshreel {

/// Puts the timing summaries of runs on the clipboard, in the published layout. Gives a sentence for people:
/// what was copied, or why nothing was.
QString copyTimingSummaries(std::span<const RunRecord> runs);

/// The same with the fastest runs of each mode and number of devices as a Markdown table.
QString copyBestConfigs(std::span<const RunRecord> runs);

}  // namespace meshreel
