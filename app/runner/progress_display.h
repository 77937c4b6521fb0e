// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/runs/run_session.h"

namespace meshreel {

enum class ProgressStyle {
    Automatic,   ///< a bar when stderr is a terminal, lines otherwise
    JsonEvents,  ///< one JSON object a line on stdout, nothing else there
    JsonEventsAndPreviews,
};

/// Shows a run on the terminal and, at its end, the summary and the run folder.
class ProgressDisplay : public RunObserver {
  public:
    static std::unique_ptr<ProgressDisplay> make(ProgressStyle style);

    virtual void finished(const RunOutcome& outcome) = 0;
    /// The error goes to stderr elsewhere; this only leaves the display in order.
    virtual void failed(const std::exception& failure) = 0;
};

/// "1:02:03", "2:03", "3.4 s".
std::string formatDuration(double seconds);

}  // namespace meshreel
