// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/launched_run.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/runner/interrupt.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/mesh/mpi_environment.h"
#include "engine/runs/abandoned_run.h"
#include "engine/runs/event_lines.h"
#include "engine/runs/rank_launcher.h"

namespace meshreel {
namespace {

/// What has to be known of a run at its end.
class RunNotes final : public RunObserver {
  public:
    void folderReady(const std::filesystem::path& path) override { folder = path; }
    void stepFinished(const StepRecord& record, const SamplerSnapshot&) override { steps.push_back(record); }

    std::filesystem::path folder;
    std::vector<StepRecord> steps;
};

/// Shows the event lines of rank 0 in the user's style.
class RankZeroDisplay {
  public:
    explicit RankZeroDisplay(ProgressStyle style)
        : m_passOn(style == ProgressStyle::JsonEvents), m_display(ProgressDisplay::make(style)) {}

    [[nodiscard]] const RunNotes& notes() const { return m_notes; }

    void hear(const std::string& line) {
        if (const auto end = deliverEventLine(line, m_notes))
            m_told = end;
        if (m_passOn) {
            fmt::print("{}\n", line);
            std::fflush(stdout);
        } else {
            static_cast<void>(deliverEventLine(line, *m_display));
        }
    }

    void finished() const {
        if (m_passOn || !m_told || !m_told->outcome)
            return;
        RunOutcome outcome = *m_told->outcome;
        outcome.steps = m_notes.steps;
        m_display->finished(outcome);
    }

    /// Rank 0 may have died without a word.
    void failed(const Error& failure) const {
        if (!m_passOn || !m_told)
            m_display->failed(failure);
    }

  private:
    bool m_passOn;
    std::unique_ptr<ProgressDisplay> m_display;
    RunNotes m_notes;
    std::optional<ToldEnd> m_told;
};

std::string howToContinue(const LaunchedRun& run, const std::filesystem::path& folder) {
    return folder.empty()
               ? std::string()
               : fmt::format("To go on: meshreel run --resume {} --hosts {}", folder.string(), run.hostFile);
}

}  // namespace

int runOnHosts(const LaunchedRun& run, ProgressStyle style) {
    if (underMpirun())
        throw Error(ErrorKind::Project, "this is an MPI rank already", "--hosts",
                    "Leave out either mpirun or --hosts");
    LaunchRequest request{.hosts = readHosts(expandTilde(run.hostFile)), .ranks = run.ranks};
    request.arguments = run.arguments;
    request.arguments.emplace_back("--json-events");
    RankZeroDisplay display(style);
    const Interrupt interrupt;
    const LaunchOutput output{.out = [&](const std::string& line) { display.hear(line); },
                              .err = [](const std::string& line) { fmt::print(stderr, "{}\n", line); }};
    const LaunchEnd end = launchRanks(request, output, interrupt.token());
    if (end.exitCode == 0) {
        display.finished();
        return 0;
    }
    const Error failure = errorOf(end);
    const std::filesystem::path& folder = display.notes().folder;
    markAbandonedRun(folder, failure.what());
    display.failed(failure);
    const bool canContinue = failure.kind() == ErrorKind::Device || failure.kind() == ErrorKind::Cancelled;
    throw Error(failure.kind(), failure.message(), failure.where(),
                canContinue ? howToContinue(run, folder) : failure.hint());
}

}  // namespace meshreel
