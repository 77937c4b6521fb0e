// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

#include "engine/runs/run_session.h"
#include "ui/controller/job_stop.h"
#include "ui/controller/mailbox.h"

namespace meshreel {

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

}  // namespace meshreel
