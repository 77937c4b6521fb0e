// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTime>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/problem.h"
#include "engine/events/run_event.h"
#include "engine/tensor/tensor.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"

namespace meshreel {

/// An event of the engine as the Studio keeps it.
struct StudioEvent {
    RunEvent event;  ///< its pixels are in `pictures`
    QTime when;
    Clip pictures = {};  ///< of Preview, DecodedFrames and FramesReady
};

/// How a run ended well.
struct RunFinished {
    QString folder;
    QString note;     ///< a sentence worth reading, or empty
    QString summary;  ///< text of its timings
};

struct RunCancelled {
    bool paused = false;  ///< after a step, as asked
};

using RunEnd = std::variant<RunFinished, RunCancelled, Problem>;

/// What a job sends: perhaps the run that it goes on with, then events, then its end.
using JobEvent = std::variant<OpenedRun, StudioEvent, RunEnd>;

/// A sink where the engine's thread leaves events for the Studio's. Keeps only the newest of previews and
/// progress; all other events, in order. However often the engine puts, arrived() is emitted once per take().
class EventQueue : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// Call on the engine's thread. Pixels become pictures here; snapshots and latents are dropped.
    void put(const RunEvent& event);
    void put(OpenedRun run) { append(std::move(run)); }
    void put(RunEnd end) { append(std::move(end)); }

    /// Takes and returns everything that is waiting.
    std::vector<JobEvent> take();

  signals:
    /// Emitted on the thread that puts; connect it queued.
    void arrived();

  private:
    void remember(const RunEvent& event);
    [[nodiscard]] Clip toPictures(const Tensor& frames) const;
    void append(JobEvent event);

    // For the current run; only for the engine's thread.
    std::string m_project;  ///< as YAML
    std::string m_name;
    double m_framesPerSecond = 1;
    double m_videoSeconds = 1;

    std::mutex m_mutex;
    std::vector<JobEvent> m_events;
    bool m_announced = false;
};

/// Returns what the run does in a phase, "Loading the model", in the language of the application.
QString phaseTitle(Phase phase);

/// A line of a run's log.
struct LogLine {
    QTime when;
    QString words;
    bool isWarning = false;
};

/// Returns the line of an event; nothing for those that the log passes over.
std::optional<LogLine> logLine(const StudioEvent& event);

/// Returns the warning of an event, in the language of the application; empty for any other.
QString warningText(const RunEvent& event);

}  // namespace meshreel
