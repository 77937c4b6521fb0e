// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTime>
#include <functional>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "engine/pipelines/generation_events.h"
#include "engine/timing/step_record.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_media.h"

namespace meshreel {

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

using RunEnd = std::variant<RunFinished, RunCancelled, Problem>;

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

/// Where the engine's thread leaves news for the Studio's. However often the engine posts, newsArrived() is
/// emitted once per take().
class Mailbox : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// Any thread: changes the waiting news.
    void post(const std::function<void(RunNews&)>& change);

    /// What is waiting, leaving nothing.
    RunNews take();

  signals:
    /// On the thread that posts; connect it queued.
    void newsArrived();

  private:
    std::mutex m_mutex;
    RunNews m_news;
    bool m_announced = false;
};

}  // namespace meshreel
