// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/run_display.h"

#include <unistd.h>

#include <optional>

#include "app/runner/interrupt.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/runs/launch/cancel_input.h"
#include "engine/runs/launch/rank_launcher.h"

namespace meshreel {
namespace {

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
    const auto progress = ProgressDisplay::make(style);
    const Interrupt interrupt;
    return display(*progress, interrupt, work);
}

int displayRankRun(ProgressStyle style, MpiSession& ranks,
                   const std::function<RunOutcome(RunObserver&, const StopToken&)>& work) {
    const auto progress = ProgressDisplay::make(style);
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
