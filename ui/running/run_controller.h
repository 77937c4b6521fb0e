// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>

#include "engine/base/stop_token.h"
#include "engine/project/project.h"
#include "engine/runs/run_session.h"
#include "ui/running/run_news.h"

namespace meshreel {

struct RunOutcome;

/// How the Studio asks a job to end: at once, or when the step at hand is done.
struct JobStop {
    StopSource now;
    std::atomic<bool> afterStep = false;
};

/// Turns what the engine tells, on its thread, into news for the Studio, and stops the job after a step when
/// that was asked for.
class RunReporter : public RunObserver {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunReporter)

  public:
    RunReporter(Mailbox& mailbox, JobStop& stop) : m_mailbox(mailbox), m_stop(stop) {}

    void planned(const RunPlan& plan) override;
    void phaseStarted(Phase phase) override;
    void foundInCache(Phase phase) override;
    void phaseFinished(Phase phase, double seconds) override;
    void folderReady(const std::filesystem::path& folder) override;
    void progressed(const Progress& progress) override;
    void stepFinished(const StepRecord& step, const SamplerSnapshot& snapshot) override;
    void devicesWorked(const StepDeviceTimes& times) override;
    [[nodiscard]] bool wantsPreviews() const override { return true; }
    void preview(int step, const Tensor& frames) override;
    void framesDecoded(const DecodedFrames& decoded) override;
    void framesReady(const Tensor& frames) override;
    void message(MessageLevel level, const Sentence& text) override;
    void videoWritten(const WrittenVideo& video) override;

  private:
    void tell(const StageNews& stage);
    void log(const QString& words, bool isWarning = false);

    Mailbox& m_mailbox;
    JobStop& m_stop;
    std::string m_project;  ///< of the run, as YAML
    double m_framesPerSecond = 1;
    double m_videoSeconds = 1;
};

/// Runs the engine on a thread of its own, one job at a time, its workers below the Studio's priority. What
/// the engine tells arrives as values, on the thread of this object, at most once per frame of the screen.
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

    /// Asks the job to stop; cancelled() tells when it did.
    void cancel();
    /// The same at the end of the step at hand, of which nothing is lost then.
    void pauseAfterStep();
    /// Of the job at hand or the last one, whether or not there was a step left at which it could pause.
    [[nodiscard]] bool pauseAsked() const { return m_stop->afterStep; }

  signals:
    void started();
    /// The run that the job goes on with or decodes again, as it was; before all else that is told of it.
    void takenUp(const meshreel::OpenedRun& run);
    void folderReady(const QString& folder);
    void stagesChanged(const std::vector<meshreel::StageNews>& news);
    void progressed(const meshreel::RunProgress& progress);
    void stepsFinished(const std::vector<meshreel::StepRecord>& steps);
    void devicesWorked(const std::vector<meshreel::StepDeviceTimes>& steps);
    void previewReady(const meshreel::Clip& clip);
    /// Some frames of the video, while others are still to come.
    void framesDecoded(const meshreel::ClipPart& part);
    void framesReady(const meshreel::Clip& clip);
    void warned(const QString& sentence);
    void logged(const std::vector<meshreel::LogLine>& lines);

    // Exactly one of these ends a job; isBusy() is false then.
    void finished(const meshreel::RunFinished& outcome);
    void cancelled(bool paused);
    void failed(const meshreel::Problem& problem);

  private:
    using Job = std::function<RunOutcome(RunObserver&, const StopToken&)>;

    void start(Job job);
    void scheduleDelivery();
    void deliver();
    void end(const RunEnd& outcome);

    std::shared_ptr<Mailbox> m_mailbox;
    QTimer m_delivery;
    std::shared_ptr<JobStop> m_stop;
    std::unique_ptr<QThread> m_thread;
};

}  // namespace meshreel
