// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace meshreel {

/// Returns the entries of a folder, sorted by name; if it cannot be read completely, the entries that could
/// be.
std::vector<std::filesystem::path> sortedEntries(const std::filesystem::path& folder);

}  // namespace meshreel
