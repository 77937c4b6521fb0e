// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/runs/run_status.h"

namespace meshreel {

/// Marks a run as failed, with the reason, when it says "running" although the process that worked on it is
/// dead; the run can be continued all the same. A process that is about to end is waited for a moment. False
/// when there is nothing to mark: no such run here, somebody works on it, or it says itself how it ended.
bool markAbandonedRun(const std::filesystem::path& folder, const Sentence& why);

/// Says how a run ends that this very process works on, when it may be killed before it comes to say so
/// itself. Whatever goes wrong is passed over.
void markEndingRun(const std::filesystem::path& folder, RunStatus status, const Sentence& why) noexcept;

}  // namespace meshreel
