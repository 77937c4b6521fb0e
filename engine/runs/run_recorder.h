// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/log.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_session.h"

namespace meshreel {

/// Writes what happens into a run folder, then tells the user's observer: the folder is never behind what was
/// shown.
class RunRecorder : public RunObserver {
  public:
    /// Goes on with the steps that the folder holds, when the run is resumed. All references outlive the
    /// recorder. Throws Error{Input} when they cannot be read.
    RunRecorder(const RunFolder& folder, Log& log, RunObserver& next);

    [[nodiscard]] const std::vector<StepRecord>& steps() const { return m_steps; }

    void planned(const RunPlan& plan) override;
    void folderReady(const std::filesystem::path& folder) override;
    void videoWritten(const WrittenVideo& video) override;
    void phaseStarted(Phase phase) override;
    void phaseFinished(Phase phase, double seconds) override;
    void foundInCache(Phase phase) override;
    void progressed(const Progress& progress) override;
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override;
    void devicesWorked(const StepDeviceTimes& times) override;
    [[nodiscard]] bool wantsPreviews() const override;
    void preview(int step, const Tensor& frames) override;
    void framesDecoded(const DecodedFrames& decoded) override;
    void latentsReady(const Tensor& latents) override;
    void framesReady(const Tensor& frames) override;
    void message(MessageLevel level, const Sentence& text) override;

  private:
    const RunFolder& m_folder;
    Log& m_log;
    std::vector<StepRecord> m_steps;
    std::vector<StepDeviceTimes> m_deviceTimes;
    RunObserver& m_next;
};

}  // namespace meshreel
