// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>
#include <QTimer>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/film/storyboard.h"
#include "engine/planning/forecast.h"
#include "engine/project/project.h"
#include "engine/runs/run_session.h"
#include "ui/running/event_queue.h"
#include "ui/values/opened_run.h"

namespace meshreel {

/// How the Studio asks a job to end: at once, or when the current step is done.
struct JobStop {
    StopSource now;
    std::atomic<bool> afterStep = false;
};

/// Runs the engine on a thread of its own, one job at a time, its workers below the Studio's priority. Its
/// events arrive as values, on the thread of this object, at most once per frame of the screen.
class RunController : public QObject {
    Q_OBJECT

  public:
    explicit RunController(QObject* parent = nullptr);
    /// Stops the job and waits for it.
    ~RunController() override;

    [[nodiscard]] bool isBusy() const { return m_thread != nullptr; }

    // Jobs. Nothing happens while another one is running.
    void generate(const Project& project);
    void resume(const std::filesystem::path& folder, bool allowDifferentMachine = false);
    void decodeAgain(const std::filesystem::path& folder);
    /// Makes what changed of a film in its folder, shot by shot, and joins the shots. `basis`: what the time
    /// of what is left is predicted from; may be null.
    void makeFilm(const Storyboard& storyboard, const std::filesystem::path& folder,
                  const std::shared_ptr<const PredictionBasis>& basis);

    /// Asks the job to stop; emits cancelled() when it has.
    void cancel();
    /// Asks the job to stop at the end of the current step, so that nothing of it is lost.
    void pauseAfterStep();
    /// Returns whether the current job, or else the last, was asked to pause, whether or not there was a step
    /// left at which it could pause.
    [[nodiscard]] bool pauseAsked() const { return m_stop->afterStep; }

  signals:
    void started();
    /// The run that the job goes on with or decodes again, as it was; before all events of it.
    void takenUp(const meshreel::OpenedRun& run);
    /// What happened since the last time, in order.
    void happened(const std::vector<meshreel::StudioEvent>& events);

    // Exactly one of these ends a job; isBusy() is false then.
    void finished(const meshreel::RunFinished& outcome);
    void cancelled(bool paused);
    void failed(const meshreel::Problem& problem);

  private:
    using Job = std::function<RunOutcome(const EventSink&, const StopToken&)>;

    void start(Job job);
    void scheduleDelivery();
    void deliver();
    void end(const RunEnd& outcome);

    std::shared_ptr<EventQueue> m_queue;
    QTimer m_delivery;
    std::shared_ptr<JobStop> m_stop;
    std::unique_ptr<QThread> m_thread;
};

/// Calls `function` with each event of type Event, for as long as `context` lives.
template <typename Event, typename Function>
QMetaObject::Connection onEvent(const RunController& controller, const QObject* context, Function function) {
    return QObject::connect(&controller, &RunController::happened, context,
                            [function](const std::vector<StudioEvent>& events) {
                                for (const StudioEvent& event : events)
                                    if (const auto* wanted = std::get_if<Event>(&event.event))
                                        function(*wanted);
                            });
}

}  // namespace meshreel
