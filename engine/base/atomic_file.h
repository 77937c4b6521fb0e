// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// Writes the whole file under a temporary name beside it, fsyncs, and renames it into place: readers see the
/// old file or the complete new one. On failure the temporary is removed and Error{Resources} (disk full,
/// quota) or Error{Input} (folder missing or not writable) is thrown.
void writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

/// The same for writers that need a path: `write` is called with the temporary path (same extension as
/// `file`), an empty file; what it wrote is fsynced and renamed. An exception from `write` removes the
/// temporary and passes through. What killed writers of `file` left behind is removed first.
void writeFileAtomically(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& write);

/// A new file or folder with a hidden name beside `path` (same extension), in which this thread writes before
/// it renames. Nobody else made it: a link that lies under its name is removed, not followed.
class TemporaryBeside {
  public:
    enum class Kind { File, Folder };

    /// Throws as writeFileAtomically().
    TemporaryBeside(const std::filesystem::path& path, Kind kind);

    /// Removes what still has the hidden name.
    ~TemporaryBeside();
    TemporaryBeside(const TemporaryBeside&) = delete;
    TemporaryBeside& operator=(const TemporaryBeside&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// Of the file, to be written to.
    [[nodiscard]] int descriptor() const { return m_descriptor; }

    /// fsyncs it and gives it its own name. Throws as writeFileAtomically().
    void putIntoPlace();

  private:
    std::filesystem::path m_target;
    std::filesystem::path m_path;
    int m_descriptor = -1;  // locked: see removeAbandonedBeside()
};

/// Whether TemporaryBeside gives such names.
bool isTemporaryName(const std::string& name);

/// Removes what writers of `path` that were killed left beside it; what somebody is writing stays.
void removeAbandonedBeside(const std::filesystem::path& path);

/// Removes what processes that were killed while writing left in `folder` under such names. Only for folders
/// in which nobody else writes now.
void removeAbandonedTemporaries(const std::filesystem::path& folder);

/// The whole file. Throws Error{Input} naming the path when it cannot be read.
std::string readFile(const std::filesystem::path& file);

}  // namespace meshreel
