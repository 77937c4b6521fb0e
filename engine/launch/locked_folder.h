// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/file_lock.h"

namespace meshreel {

/// A folder of this process, which is locked as long as it lives.
class LockedFolder {
  public:
    /// Makes a folder in `parent`, with a name of its own. Throws Error{Input} when none can be made there.
    explicit LockedFolder(const std::filesystem::path& parent);
    ~LockedFolder();
    LockedFolder(const LockedFolder&) = delete;
    LockedFolder& operator=(const LockedFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return m_path; }

    /// Removes those in `parent` whose processes, of this user, are gone.
    static void removeForsaken(const std::filesystem::path& parent);

  private:
    static constexpr std::string_view prefix = "meshreel-ranks-";
    static constexpr std::time_t youngSeconds = 60;

    /// Returns nothing when another process has the lock.
    static std::optional<FileLock> tryLock(const std::filesystem::path& folder);

    std::string m_path;
    std::optional<FileLock> m_lock;
};

}  // namespace meshreel
