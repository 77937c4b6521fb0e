// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QTime>
#include <optional>
#include <variant>
#include <vector>

#include "engine/pipelines/generation_events.h"
#include "engine/timing/step_record.h"
#include "ui/controller/opened_media.h"
#include "ui/player/clip.h"

namespace meshreel {

/// An Error as the Studio shows it.
struct Trouble {
    QString message;
    QString where;  ///< may be empty
    QString hint;   ///< may be empty

    /// What the exception being handled says; to be called from a catch block.
    static Trouble ofCurrentException();

    /// "where: message. Hint" on one line.
    [[nodiscard]] QString text() const;
};

/// The engine's Progress as values of the Studio.
struct RunProgress {
    Phase phase = Phase::Load;
    QString phaseTitle = {};  ///< translated
    int stepsDone = 0;
    int steps = 0;
    double fraction = 0;                     ///< of the whole, in [0, 1]
    std::optional<double> secondsLeft = {};  ///< absent until it can be told
    double decoded = 0;                      ///< part of the decoding that is done, in [0, 1]
};

/// Something happened to a stage of the run.
struct StageNews {
    enum class Kind { Started, FoundInCache, Finished };
    Phase phase = Phase::Load;
    Kind kind = Kind::Started;
    double seconds = 0;  ///< of one that finished
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
    QString note;     ///< a sentence worth telling, or empty
    QString summary;  ///< of its timings
};

struct RunCancelled {
    bool paused = false;  ///< after a step, as asked
};

using RunEnd = std::variant<RunFinished, RunCancelled, Trouble>;

/// What happened since the last delivery. Of previews and progress only the latest counts; stages, steps and
/// decoded frames are all there.
struct RunNews {
    std::optional<OpenedRun> takenUp;
    std::optional<QString> folder;
    std::vector<StageNews> stages;
    std::optional<RunProgress> progress;
    std::vector<StepRecord> steps;
    std::vector<StepDeviceTimes> devices;
    std::optional<Clip> preview;
    std::vector<ClipPart> decoded;
    std::optional<Clip> frames;
    QStringList warnings;
    std::vector<LogLine> log;
    std::optional<RunEnd> end;
};

}  // namespace meshreel
