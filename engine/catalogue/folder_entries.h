// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace meshreel {

/// What lies in a folder, by name; of one that cannot be read, what could be.
std::vector<std::filesystem::path> sortedEntries(const std::filesystem::path& folder);

}  // namespace meshreel
