// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <string_view>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"

namespace meshreel {

/// "Done", "Cancelled", … in the language of the application.
QString statusTitle(RunStatus status);

/// The status with its reason.
QString stateSentence(const RunState& state);

/// When the run started, in local time; invalid when the folder does not tell.
QDateTime startOf(const RunState& state);

/// "24 of 24 steps, 12.3 s".
QString extentText(const RunSummary& run);

/// "12.3 s", "2 min 05 s", "1 h 02 min".
QString durationText(double seconds);

/// The same where there is little room: "1.2 s", "12 s", "2:05", "1:02:05".
QString shortDurationText(double seconds);

/// Title of a column of comparisonTable() in the language of the application; its name where it has none.
QString timingColumnTitle(std::string_view name);

}  // namespace meshreel
