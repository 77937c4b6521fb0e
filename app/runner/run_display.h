// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "app/runner/progress_display.h"

namespace meshreel {

inline constexpr int maxWorkers = 1024;

/// Does `work` with progress shown and Ctrl-C cancelling it; returns 0. What it throws is thrown on.
int displayRun(ProgressStyle style, const std::function<RunOutcome(RunObserver&, const StopToken&)>& work);

}  // namespace meshreel
