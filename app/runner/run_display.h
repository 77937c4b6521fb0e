// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "app/runner/progress_display.h"

namespace meshreel {

inline constexpr int maxWorkers = 1024;

class MpiSession;

/// Does `work` with progress shown and Ctrl-C cancelling it; returns 0. What it throws is thrown on.
int displayRun(ProgressStyle style, const std::function<RunOutcome(RunObserver&, const StopToken&)>& work);

/// The same on rank 0 of several; a stop may come from the program that launched the ranks as well.
int displayRankRun(ProgressStyle style, MpiSession& ranks,
                   const std::function<RunOutcome(RunObserver&, const StopToken&)>& work);

/// Does the work of another rank, which shows nothing; returns 0.
int followQuietly(MpiSession& ranks, const std::function<void(const StopToken&)>& work);

}  // namespace meshreel
