// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "ui/queue/queued_run.h"

namespace meshreel {

/// The queue on disk: JSON with the text of every project, the old file or the complete new one. Throws what
/// writeFileAtomically throws.
void writeQueue(const std::filesystem::path& file, const std::vector<QueuedRun>& runs);

/// Nothing without a file. Throws Error{Input} for a damaged one, Error{Project} for a project that this
/// version cannot read.
std::vector<QueuedRun> readQueue(const std::filesystem::path& file);

}  // namespace meshreel
