// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

namespace meshreel {

/// Measures the bytes a second that the disk delivers of this file, read one block after the other and past
/// the system's file cache: some MiB of it, in about a tenth of a second. Nothing for a file that is too
/// small or has holes, and on file systems that read through the cache only.
std::optional<double> measureDiskRate(const std::filesystem::path& file);

}  // namespace meshreel
