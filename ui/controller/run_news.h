// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QTime>
#include <optional>
#include <variant>
#include <vector>

#include "engine/timing/device_time.h"
#include "engine/timing/step_record.h"
#include "ui/player/clip.h"

namespace meshreel {

/// An Error as the Studio shows it.
struct Trouble {
    QString message;
    QString where;  ///< may be empty
    QString hint;   ///< may be empty

    /// What the exception being handled says; to be called from a catch block.
    static Trouble ofCurrentException();
};

/// The engine's Progress as values of the Studio.
struct RunProgress {
    QString phase;  ///< translated
    int stepsDone = 0;
    int steps = 0;
    double fraction = 0;                ///< of the whole, in [0, 1]
    std::optional<double> secondsLeft;  ///< absent until it can be told
};

/// A line of a run's log.
struct LogLine {
    QTime when;
    QString words;
    bool isWarning = false;
};

/// How a run ended well.
struct RunFinished {
    QString folder;
    QString note;  ///< a sentence worth telling, or empty
};

struct RunCancelled {
    bool paused = false;  ///< after a step, as asked
};

using RunEnd = std::variant<RunFinished, RunCancelled, Trouble>;

/// What happened since the last delivery. Of pictures and progress only the latest counts; steps are all
/// there.
struct RunNews {
    std::optional<QString> folder;
    std::optional<RunProgress> progress;
    std::vector<StepRecord> steps;
    std::vector<StepDeviceTimes> devices;
    std::optional<Clip> preview;
    std::optional<Clip> frames;
    QStringList warnings;
    std::vector<LogLine> log;
    std::optional<RunEnd> end;
};

}  // namespace meshreel
