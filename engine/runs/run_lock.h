// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace meshreel {

/// Exclusive right to work on a run folder: flock on a file in it, which the kernel releases however the
/// process ends. Two locks of one process exclude each other as well.
class RunLock {
  public:
    static constexpr std::string_view fileName = ".lock";

    /// Absent when somebody else holds it. Throws Error{Input} when the folder is not writable, or the file
    /// of the lock is a link.
    static std::optional<RunLock> tryTake(const std::filesystem::path& folder);

    /// Whether somebody holds the lock now; false where there is no lock file.
    static bool isHeld(const std::filesystem::path& folder);

    RunLock(RunLock&& other) noexcept;
    RunLock& operator=(RunLock&& other) noexcept;
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;
    ~RunLock();

  private:
    explicit RunLock(int descriptor) : m_descriptor(descriptor) {}
    void release();

    int m_descriptor;
};

}  // namespace meshreel
