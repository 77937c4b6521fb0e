// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/text_progress.h"

#include <fmt/core.h>

#include <cstdio>

#include "engine/timing/step_savings.h"

namespace meshreel {
namespace {

constexpr int barWidth = 30;

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

void ProgressBar::progressed(const Progress& progress) {
    const int filled = static_cast<int>(progress.fraction * barWidth);
    std::string bar;
    for (int cell = 0; cell < barWidth; ++cell)
        bar += cell < filled ? "█" : "░";
    fmt::print(stderr, "\r\033[K{} {:3.0f} % {} step {}/{}{}", bar, progress.fraction * 100,
               nameOf(progress.phase), progress.stepsDone, progress.steps, timeLeft(progress));
    std::fflush(stderr);
    m_drawn = true;
}

void ProgressBar::clearLine() {
    if (!m_drawn)
        return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    m_drawn = false;
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

}  // namespace meshreel
