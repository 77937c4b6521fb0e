// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "ui/queue/queued_run.h"

namespace meshreel {

/// The queue on disk: JSON with the text of the first project, and of the others what changes from one to the
/// next, as reading whole projects would hold up the start; the old file or the complete new one. Throws what
/// writeFileAtomically throws.
void writeQueue(const std::filesystem::path& file, const std::vector<QueuedRun>& runs);

/// Nothing without a file. Throws Error{Input} for a damaged one, Error{Project} for a project that this
/// version cannot read.
std::vector<QueuedRun> readQueue(const std::filesystem::path& file);

}  // namespace meshreel
