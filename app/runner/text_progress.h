// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "app/runner/progress_display.h"

namespace meshreel {

/// What people read: warnings on stderr, results on stdout.
class TextProgress : public ProgressDisplay {
  public:
    void folderReady(const std::filesystem::path& folder) override;
    void message(MessageLevel level, const Sentence& text) override;
    void finished(const RunOutcome& outcome) override;
    void failed(const std::exception& failure) override;

  protected:
    /// Called before anything else is printed, and at the end.
    virtual void clearLine() {}
};

/// One line on stderr that is drawn anew as the run goes on.
class ProgressBar final : public TextProgress {
  public:
    void progressed(const Progress& progress) override;

  protected:
    void clearLine() override;

  private:
    bool m_drawn = false;
};

/// A line on stdout for every phase and step.
class ProgressLines final : public TextProgress {
  public:
    void phaseFinished(Phase phase, double seconds) override;
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override;
    void progressed(const Progress& progress) override;

  private:
    std::optional<StepRecord> m_step;  // waiting for the estimate that follows it
};

}  // namespace meshreel
