// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/progress_display.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>

#include "app/runner/json_events.h"
#include "app/runner/text_progress.h"

namespace meshreel {

std::unique_ptr<ProgressDisplay> ProgressDisplay::make(ProgressStyle style) {
    if (style == ProgressStyle::JsonEvents)
        return std::make_unique<JsonEvents>(EventLines::Previews::No);
    if (style == ProgressStyle::JsonEventsAndPreviews)
        return std::make_unique<JsonEvents>(EventLines::Previews::Yes);
    if (::isatty(STDERR_FILENO) != 0)
        return std::make_unique<ProgressBar>();
    return std::make_unique<ProgressLines>();
}

std::string formatDuration(double seconds) {
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 3600)
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace meshreel
