// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/progress_display.h"
#include "engine/runs/launch/event_lines.h"

namespace meshreel {

/// Every event as one JSON object on a line of stdout, flushed; "event" names it.
class JsonEvents final : public ProgressDisplay {
  public:
    explicit JsonEvents(EventLines::Previews previews);

    void planned(const RunPlan& plan) override { m_lines.planned(plan); }
    void folderReady(const std::filesystem::path& folder) override { m_lines.folderReady(folder); }
    void phaseStarted(Phase phase) override { m_lines.phaseStarted(phase); }
    void phaseFinished(Phase phase, double seconds) override { m_lines.phaseFinished(phase, seconds); }
    void foundInCache(Phase phase) override { m_lines.foundInCache(phase); }
    void progressed(const Progress& progress) override { m_lines.progressed(progress); }
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override {
        m_lines.stepFinished(record, snapshot);
    }
    void devicesWorked(const StepDeviceTimes& times) override { m_lines.devicesWorked(times); }
    [[nodiscard]] bool wantsPreviews() const override { return m_lines.wantsPreviews(); }
    void preview(int step, const Tensor& frames) override { m_lines.preview(step, frames); }
    void framesDecoded(const DecodedFrames& decoded) override { m_lines.framesDecoded(decoded); }
    void videoWritten(const WrittenVideo& video) override { m_lines.videoWritten(video); }
    void message(MessageLevel level, const Sentence& text) override { m_lines.message(level, text); }
    void finished(const RunOutcome& outcome) override { m_lines.finished(outcome); }
    void failed(const std::exception& failure) override { m_lines.failed(failure); }

  private:
    EventLines m_lines;
};

}  // namespace meshreel
