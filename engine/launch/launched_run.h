// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/runs/run_session.h"

namespace meshreel {

/// Calls runProject() on ranks that this process launches on the hosts of a file (readHosts()), the first of
/// which is this machine. The sink gets what rank 0 sends (readEventLine()) and, with options.previews, the
/// frames of the finished video. A stop cancels on all ranks. Throws as runProject() does; Error{Device}
/// names rank, host and reason when one of them died. Ignores options.ranks.
RunOutcome launchProject(const RunRequest& request, const std::filesystem::path& hostFile,
                         const EventSink& sink, const StopToken& stop);

/// resumeRun() likewise.
RunOutcome launchResumed(const std::filesystem::path& folder, const RunOptions& options,
                         const std::filesystem::path& hostFile, const EventSink& sink, const StopToken& stop);

}  // namespace meshreel
