// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>

#include "engine/runs/run_session.h"

namespace meshreel {

class MpiSession;

enum class ProgressStyle {
    Automatic,   ///< a bar when stderr is a terminal, lines otherwise
    JsonEvents,  ///< one JSON object a line on stdout, nothing else there
    JsonEventsAndPreviews,
};

/// Shows a run on the terminal and, at its end, the summary and the run folder.
class ProgressDisplay : public RunObserver {
  public:
    virtual void finished(const RunOutcome& outcome) = 0;
    /// The error goes to stderr elsewhere; this only leaves the display in order.
    virtual void failed(const std::exception& failure) = 0;
};

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

/// A line on stdout for every phase and step.
class ProgressLines final : public TextProgress {
  public:
    void phaseFinished(Phase phase, double seconds) override;
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override;
    void progressed(const Progress& progress) override;

  private:
    std::optional<StepRecord> m_step;  // waiting for the estimate that follows it
};

/// The most threads that --workers gives a device.
inline constexpr int maxWorkers = 1024;

/// Does `work` with progress shown and Ctrl-C cancelling it; returns 0. What it throws is thrown on.
int displayRun(ProgressStyle style, const std::function<RunOutcome(RunObserver&, const StopToken&)>& work);

/// displayRun() on rank 0 of several; a stop may come from the program that launched the ranks as well.
int displayRankRun(ProgressStyle style, MpiSession& ranks,
                   const std::function<RunOutcome(RunObserver&, const StopToken&)>& work);

/// Does the work of another rank, which shows nothing; returns 0.
int followQuietly(MpiSession& ranks, const std::function<void(const StopToken&)>& work);

}  // namespace meshreel
