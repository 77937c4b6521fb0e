// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/abandoned_run.h"

#include <chrono>
#include <thread>

#include "engine/base/error.h"
#include "engine/runs/run_folder.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 3s;
constexpr auto pollInterval = 50ms;

}  // namespace

bool markAbandonedRun(const std::filesystem::path& folder, const Sentence& why) {
    if (!RunFolder::isRun(folder))
        return false;
    try {
        RunFolder run = RunFolder::open(folder);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (run.state().status == RunStatus::Running && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(pollInterval);
        if (run.state().status != RunStatus::Crashed)
            return false;
        run.lock();
        RunState state = run.state();
        if (state.status != RunStatus::Running)  // ours is the lock now: nobody has written since
            return false;
        state.status = RunStatus::Failed;
        state.why = why;
        state.finished = timestampNow();
        run.releaseSpace();
        run.writeState(state);
        return true;
    } catch (const Error&) {
        return false;  // taken over by somebody, or not to be written to
    }
}

void markEndingRun(const std::filesystem::path& folder, RunStatus status, const Sentence& why) noexcept {
    try {
        const RunFolder run = RunFolder::open(folder);
        RunState state = run.state();
        if (state.status != RunStatus::Running)
            return;
        state.status = status;
        state.why = why;
        state.finished = timestampNow();
        run.writeState(state);
    } catch (const std::exception&) {
        return;  // the run counts as crashed then
    }
}

}  // namespace meshreel
