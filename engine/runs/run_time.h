// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// When runs began, as a point of time. Their texts are local time: an hour comes twice where summer time
// ends, and another zone's hour is another one.

namespace meshreel {

/// Returns the seconds since 1970 (UTC) of a time like RunState::started, "2026-11-21T08:45:00+0100". Nothing
/// for another text.
std::optional<std::int64_t> pointOfTime(std::string_view timestamp);

/// Orders runs by their beginning: by time where both tell it, else by name.
struct RunBeginning {
    std::string started;           ///< RunState::started
    std::filesystem::path folder;  ///< which its local time begins

    friend bool operator==(const RunBeginning&, const RunBeginning&) = default;
};
bool isNewer(const RunBeginning& one, const RunBeginning& other);

/// Returns the run folders in a folder, the one that began last first.
std::vector<std::filesystem::path> runsByBeginning(const std::filesystem::path& folder);

}  // namespace meshreel
