// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTime>
#include <optional>

#include "ui/running/event_queue.h"

namespace meshreel {

/// What the run does in a phase, "Loading the model", in the language of the application.
QString phaseTitle(Phase phase);

/// A line of a run's log.
struct LogLine {
    QTime when;
    QString words;
    bool isWarning = false;
};

/// The line of an event; nothing for those that the log passes over.
std::optional<LogLine> logLine(const StudioEvent& event);

/// The warning of an event, in the language of the application; empty for any other.
QString warningText(const RunEvent& event);

}  // namespace meshreel
