// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/queue/queued_run.h"

namespace meshreel {

/// Returns where the queue of this user is: queue.json of userDataFolder().
std::filesystem::path queueFile();

/// Writes the queue: JSON with the text of the first project, and of the others what changes from one to the
/// next, as reading whole projects would hold up a start; the old file or the complete new one. Throws what
/// writeFileAtomically throws.
void writeQueue(const std::filesystem::path& file, const std::vector<QueuedRun>& runs);

/// A run of the file that this version cannot read.
struct UnreadRun {
    int number = 0;  ///< its place in the file, counted from 1
    Sentence reason;
};

struct KeptQueue {
    std::vector<QueuedRun> runs;  ///< all others, in their order, each with an id
    std::vector<UnreadRun> unread;
    bool isOfEarlierVersion = false;  ///< some had no id in the file, and have new ones
};

/// Returns an empty queue without a file. A run that is stored as changes depends on the run before it.
/// Throws Error{Input} when the file as a whole is damaged, or has more than Limit::Json.
KeptQueue readQueue(const std::filesystem::path& file);

}  // namespace meshreel
