// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/run_display.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "app/runner/interrupt.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/runs/launch/event_lines.h"
#include "engine/runs/launch/rank_launcher.h"
#include "engine/runs/launch/rank_process.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {
namespace {

/// "1:02:03", "2:03", "3.4 s".
std::string formatDuration(double seconds) {
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 3600)
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string timeLeft(const Progress& progress) {
    return progress.secondsLeft ? fmt::format(", {} left", formatDuration(*progress.secondsLeft)) : "";
}

}  // namespace

void TextProgress::folderReady(const std::filesystem::path& folder) {
    clearLine();
    fmt::print("Run folder: {}\n", folder.string());
    std::fflush(stdout);
}

void TextProgress::message(MessageLevel level, const Sentence& text) {
    clearLine();
    if (level == MessageLevel::Warning)
        fmt::print(stderr, "meshreel: warning: {}\n", text);
    else
        fmt::print("{}\n", text);
    std::fflush(stdout);
}

void TextProgress::finished(const RunOutcome& outcome) {
    clearLine();
    if (!outcome.note.empty())
        fmt::print("{}\n", outcome.note);
    if (outcome.timings)
        fmt::print("{}{}{}", formatTimingSummary(*outcome.timings), formatStepSeconds(outcome.steps),
                   formatSavings(savingsOf(outcome.steps, outcome.resumedFrom), outcome.steps.size()));
    if (!outcome.video.empty())
        fmt::print("Video: {}\n", outcome.video.string());
    fmt::print("Run folder: {}\n", outcome.folder.string());
    std::fflush(stdout);
}

void TextProgress::failed(const std::exception&) {
    clearLine();
}

void ProgressLines::phaseFinished(Phase phase, double seconds) {
    fmt::print("{} finished after {}\n", nameOf(phase), formatDuration(seconds));
    std::fflush(stdout);
}

void ProgressLines::stepFinished(const StepRecord& record, const SamplerSnapshot&) {
    m_step = record;
}

void ProgressLines::progressed(const Progress& progress) {
    if (!m_step)
        return;
    fmt::print("Step {}/{} took {:.3f} s{}\n", m_step->step + 1, progress.steps, m_step->seconds,
               timeLeft(progress));
    std::fflush(stdout);
    m_step.reset();
}

namespace {

/// One line on stderr that is drawn anew as the run goes on.
class ProgressBar final : public TextProgress {
  public:
    void progressed(const Progress& progress) override {
        constexpr int barWidth = 30;
        const int filled = static_cast<int>(progress.fraction * barWidth);
        std::string bar;
        for (int cell = 0; cell < barWidth; ++cell)
            bar += cell < filled ? "█" : "░";
        fmt::print(stderr, "\r\033[K{} {:3.0f} % {} step {}/{}{}", bar, progress.fraction * 100,
                   nameOf(progress.phase), progress.stepsDone, progress.steps, timeLeft(progress));
        std::fflush(stderr);
        m_drawn = true;
    }

  protected:
    void clearLine() override {
        if (!m_drawn)
            return;
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        m_drawn = false;
    }

  private:
    bool m_drawn = false;
};

/// Every event as one JSON object on a line of stdout, flushed; "event" names it.
class JsonEvents final : public ProgressDisplay {
  public:
    explicit JsonEvents(EventLines::Previews previews)
        : m_lines(
              [](const std::string& line) {
                  fmt::print("{}\n", line);
                  std::fflush(stdout);
              },
              previews) {}

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

std::unique_ptr<ProgressDisplay> makeDisplay(ProgressStyle style) {
    if (style == ProgressStyle::JsonEvents)
        return std::make_unique<JsonEvents>(EventLines::Previews::No);
    if (style == ProgressStyle::JsonEventsAndPreviews)
        return std::make_unique<JsonEvents>(EventLines::Previews::Yes);
    if (::isatty(STDERR_FILENO) != 0)
        return std::make_unique<ProgressBar>();
    return std::make_unique<ProgressLines>();
}

int display(ProgressDisplay& progress, const Interrupt& interrupt,
            const std::function<RunOutcome(RunObserver&, const StopToken&)>& work) {
    try {
        progress.finished(work(progress, interrupt.token()));
        return 0;
    } catch (const std::exception& failure) {
        progress.failed(failure);
        throw;
    }
}

}  // namespace

int displayRun(ProgressStyle style, const std::function<RunOutcome(RunObserver&, const StopToken&)>& work) {
    const auto progress = makeDisplay(style);
    const Interrupt interrupt;
    return display(*progress, interrupt, work);
}

int displayRankRun(ProgressStyle style, MpiSession& ranks,
                   const std::function<RunOutcome(RunObserver&, const StopToken&)>& work) {
    const auto progress = makeDisplay(style);
    Interrupt interrupt([&ranks] { ranks.terminate(); });
    std::optional<CancelInput> cancel;
    if (startedByLauncher())
        cancel.emplace(STDIN_FILENO, [&interrupt] { interrupt.requestStop(); });
    return display(*progress, interrupt, work);
}

int followQuietly(MpiSession& ranks, const std::function<void(const StopToken&)>& work) {
    const Interrupt interrupt([&ranks] { ranks.terminate(); });
    work(interrupt.token());
    return 0;
}

}  // namespace meshreel
