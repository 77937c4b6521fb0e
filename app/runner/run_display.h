// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/runs/run_session.h"

namespace meshreel {

class MpiSession;

enum class ProgressStyle {
    Automatic,   ///< a bar when stderr is a terminal, lines otherwise
    JsonEvents,  ///< one JSON object a line on stdout, nothing else there
};

/// Returns a sink that shows a run, or part of one: warnings on stderr; messages, a line for every phase and
/// step, and the results at the end on stdout.
EventSink progressLines();

/// The most threads that --workers gives a device.
inline constexpr int maxWorkers = 1024;

/// What displayRun() shows: it sends its events to a sink.
using DisplayedWork = std::function<RunOutcome(const EventSink&, const StopToken&)>;

/// Does `work` with progress shown and Ctrl-C cancelling it; returns 0. What it throws is thrown on.
int displayRun(ProgressStyle style, const DisplayedWork& work);

/// displayRun() on rank 0 of several; a stop may come from the program that launched the ranks as well.
int displayRankRun(ProgressStyle style, MpiSession& ranks, const DisplayedWork& work);

/// Does the work of another rank, which shows nothing; returns 0.
int followQuietly(MpiSession& ranks, const std::function<void(const StopToken&)>& work);

/// "1:02:03", "2:03", "3.4 s".
std::string formatDuration(double seconds);

}  // namespace meshreel
