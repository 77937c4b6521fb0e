// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace meshreel {

/// Writes the whole file under a temporary name beside it, fsyncs, and renames it into place: readers see the
/// old file or the complete new one. On failure the temporary is removed and Error{Resources} (disk full,
/// quota) or Error{Input} (folder missing or not writable) is thrown.
void writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

/// The same for writers that need a path: `write` is called with the temporary path (same extension as
/// `file`); what it wrote is fsynced and renamed. An exception from `write` removes the temporary and passes
/// through.
void writeFileAtomically(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& write);

/// The hidden name beside `path` (same extension) under which this process writes before it renames.
std::filesystem::path temporaryBeside(const std::filesystem::path& path);

/// Removes what processes that were killed while writing left in `folder` under such names. Only for folders
/// in which nobody else writes now.
void removeAbandonedTemporaries(const std::filesystem::path& folder);

/// The whole file. Throws Error{Input} naming the path when it cannot be read.
std::string readFile(const std::filesystem::path& file);

}  // namespace meshreel
