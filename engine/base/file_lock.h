// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>

namespace meshreel {

/// Exclusive right to an open file, which the kernel releases however the process ends. Two locks of one
/// process exclude each other as well.
///
/// Uses flock(2). A file system without locks (ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL and every errno but
/// EWOULDBLOCK) does not mean that the file is in use: a name on this machine, made from the file's device
/// and number, replaces the lock there, which programs on other machines do not see.
class FileLock {
  public:
    /// Takes ownership of the descriptor, and closes it in any case. Returns nothing when another holder has
    /// the lock.
    static std::optional<FileLock> tryTake(int descriptor);

    /// Waits for the lock's holder; returns nothing when that takes longer than `patience`.
    static std::optional<FileLock> take(int descriptor, std::chrono::milliseconds patience);

    /// Returns whether the file is locked now. The caller keeps the descriptor.
    static bool isHeld(int descriptor);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

    [[nodiscard]] int descriptor() const { return m_descriptor; }

    /// Makes the lock the caller's, until this descriptor is closed.
    int release();

    /// Returns whether the file system itself keeps it, for all machines that use it.
    [[nodiscard]] bool isOfFileSystem() const { return m_isOfFileSystem; }

  private:
    explicit FileLock(int descriptor) : m_descriptor(descriptor) {}
    bool acquire();

    int m_descriptor;
    int m_standIn = -1;
    bool m_isOfFileSystem = false;
};

}  // namespace meshreel
