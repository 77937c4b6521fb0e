// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/run_display.h"

#include "app/runner/interrupt.h"

namespace meshreel {

int displayRun(ProgressStyle style, const std::function<RunOutcome(RunObserver&, const StopToken&)>& work) {
    const auto display = ProgressDisplay::make(style);
    const Interrupt interrupt;
    try {
        display->finished(work(*display, interrupt.token()));
        return 0;
    } catch (const std::exception& failure) {
        display->failed(failure);
        throw;
    }
}

}  // namespace meshreel
