// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <memory>

#include "engine/base/stop_token.h"
#include "engine/project/project.h"
#include "ui/controller/job_stop.h"
#include "ui/controller/mailbox.h"
#include "ui/controller/run_news.h"

namespace meshreel {

class RunObserver;
struct RunOutcome;

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
    void failed(const meshreel::Trouble& trouble);

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
