// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/queue/shared_queue.h"

namespace meshreel {

/// How long results of requests are kept. Without a limit: until a person deletes them.
struct KeepLimit {
    std::optional<std::int64_t> seconds = {};  ///< since they ended
    std::optional<std::uint64_t> bytes = {};   ///< of all their folders together

    friend bool operator==(const KeepLimit&, const KeepLimit&) = default;
};

/// Reads "7d" (days) or "50GB" (10^9 bytes). Throws Error{Project} for any other text.
KeepLimit readKeepLimit(const std::string& text);

/// Takes those runs off the queue, and deletes their folders, that came with requests, have ended and are
/// beyond the limit at `now` (Unix time): older, or the oldest of more bytes. Returns their ids. Only folders
/// directly in `runs`, not through a link, that nobody works on are deleted; a run with another folder stays.
std::vector<std::string> forgetResults(SharedQueue& queue, const KeepLimit& limit,
                                       const std::filesystem::path& runs, std::int64_t now);

}  // namespace meshreel
