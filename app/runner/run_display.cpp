// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/run_display.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "engine/base/record.h"
#include "engine/base/standard_streams.h"
#include "engine/events/run_event.h"
#include "engine/launch/mpirun_line.h"
#include "engine/launch/rank_launcher.h"
#include "engine/launch/rank_process.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/runs/records/run_record.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

std::string formatDuration(double seconds) {
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 3600)
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

namespace {

std::string timeLeft(const Progress& progress) {
    return progress.secondsLeft ? fmt::format(", {} left", formatDuration(*progress.secondsLeft)) : "";
}

/// Returns the part that the percentage beside a phase shows: of its steps, or of what is decoded, so that it
/// agrees with them.
double partOfPhase(const Progress& progress) {
    if (progress.phase == Phase::Denoise)
        return progress.steps == 0 ? 0 : static_cast<double>(progress.stepsDone) / progress.steps;
    return progress.phase == Phase::Decode ? progress.decoded : progress.fraction;
}

/// What people read of a run: warnings on stderr, results on stdout.
class TextProgress {
  public:
    virtual ~TextProgress() = default;

    void operator()(const RunEvent& event) {
        handle(
            event, [&](const ProblemsFound& found) { printProblems(found.problems); },
            [&](const FolderReady& ready) { print("Run folder: {}\n", ready.folder.string()); },
            [&](const RunMessage& message) { showMessage(message); },
            [&](const Progress& progress) { show(progress); },
            [&](const RunOutcome& outcome) { showEnd(outcome); },
            [&](const RunFailed&) { clearLine(); },  // the error goes to stderr elsewhere
            [&](const PhaseFinished& finished) { show(finished); },
            [&](const StepRecord& step) { show(step); });
    }

  protected:
    /// Called before anything else is printed, and at the end.
    virtual void clearLine() {}
    virtual void show(const Progress&) {}
    virtual void show(const PhaseFinished&) {}
    virtual void show(const StepRecord&) {}

    template <typename... Parts>
    void print(fmt::format_string<const Parts&...> pattern, const Parts&... parts) {
        clearLine();
        say(pattern, parts...);
        std::fflush(stdout);
    }

  private:
    void showMessage(const RunMessage& message) {
        if (message.level == MessageLevel::Info)
            return print("{}\n", message.text);
        clearLine();
        say(stderr, "meshreel: warning: {}\n", message.text);
    }

    void showEnd(const RunOutcome& outcome) {
        if (!outcome.note.empty())
            print("{}\n", outcome.note);
        if (outcome.timings)
            print("{}{}{}{}", formatTimingSummary(*outcome.timings), formatStepSeconds(outcome.steps),
                  formatSavings(computeSavings(outcome.steps, outcome.resumedFrom), outcome.steps.size()),
                  formatRunNotes(*outcome.timings, outcome.resumedFrom));
        if (!outcome.video.empty())
            print("Video: {}\n", outcome.video.string());
        if (!outcome.folder.empty())
            print("Run folder: {}\n", outcome.folder.string());
    }
};

/// A line on stdout for every phase and step.
class ProgressLines final : public TextProgress {
  protected:
    using TextProgress::show;

    void show(const PhaseFinished& finished) override {
        print("{} finished after {}\n", enumName(finished.phase), formatDuration(finished.seconds));
    }

    void show(const StepRecord& step) override { m_step = step; }

    void show(const Progress& progress) override {
        if (!m_step)
            return;
        print("Step {}/{} took {:.3f} s{}\n", m_step->step + 1, progress.steps, m_step->seconds,
              timeLeft(progress));
        m_step.reset();
    }

  private:
    std::optional<StepRecord> m_step;  // waiting for the estimate that follows it
};

/// One line on stderr that is redrawn during the run.
class ProgressBar final : public TextProgress {
  protected:
    using TextProgress::show;

    void show(const Progress& progress) override {
        constexpr int barWidth = 30;
        const double part = partOfPhase(progress);
        const int filled = static_cast<int>(part * barWidth);
        std::string bar;
        for (int cell = 0; cell < barWidth; ++cell)
            bar += cell < filled ? "█" : "░";
        const std::string steps = progress.phase == Phase::Denoise
                                      ? fmt::format(" step {}/{}", progress.stepsDone, progress.steps)
                                      : std::string();
        writeRemark(fmt::format("\r\033[K{} {:3.0f} % {}{}{}", bar, part * 100, enumName(progress.phase),
                                steps, timeLeft(progress)));
        std::fflush(stderr);
        m_drawn = true;
    }

    void clearLine() override {
        if (!m_drawn)
            return;
        writeRemark("\r\033[K");
        std::fflush(stderr);
        m_drawn = false;
    }

  private:
    bool m_drawn = false;
};

/// Every event that has a line, on stdout, flushed; on stderr what keeps a project from running.
void printEventLine(const RunEvent& event) {
    if (const auto* found = std::get_if<ProblemsFound>(&event); found != nullptr && found->keepFromRunning())
        printProblems(found->problems);
    if (const std::optional<std::string> line = eventLine(event)) {
        say("{}\n", *line);
        std::fflush(stdout);
    }
}

EventSink displayFor(ProgressStyle style) {
    if (style == ProgressStyle::JsonEvents)
        return printEventLine;
    if (::isatty(STDERR_FILENO) != 0)
        return ProgressBar();
    return ProgressLines();
}

int display(const EventSink& sink, const Interrupt& interrupt, const DisplayedWork& work) {
    try {
        sink(work(sink, interrupt.token()));
        return 0;
    } catch (const std::exception& failure) {
        sink(RunFailed::from(failure));
        throw;
    }
}

}  // namespace

EventSink progressLines() {
    return ProgressLines();
}

int displayRun(ProgressStyle style, const DisplayedWork& work) {
    const EventSink sink = displayFor(style);
    const Interrupt interrupt;
    return display(sink, interrupt, work);
}

int displayRankRun(ProgressStyle style, MpiSession& ranks, const DisplayedWork& work) {
    const EventSink sink = displayFor(style);
    Interrupt interrupt([&ranks] { ranks.terminate(); });
    std::optional<CancelInput> cancel;
    if (startedByLauncher())
        cancel.emplace(STDIN_FILENO, [&interrupt] { interrupt.requestStop(); });
    return display(sink, interrupt, work);
}

int followQuietly(MpiSession& ranks, const std::function<void(const StopToken&)>& work) {
    const Interrupt interrupt([&ranks] { ranks.terminate(); });
    work(interrupt.token());
    return 0;
}

}  // namespace meshreel
