// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>

namespace meshreel {

/// Exclusive right to what an open file stands for, which the kernel gives back however the process ends. Two
/// locks of one process exclude each other as well.
///
/// It is flock(2). A file system without locks (ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL and whatever else is not
/// EWOULDBLOCK) is no sign that somebody is at work: a name of this machine that is made of the file's device
/// and number stands in then, so that programs of other machines are not seen there.
class FileLock {
  public:
    /// Takes the descriptor over, and closes it in any case. Absent when somebody else holds the lock.
    static std::optional<FileLock> tryTake(int descriptor);

    /// The same, but waits for whoever holds it; absent when that takes longer than `patience`.
    static std::optional<FileLock> take(int descriptor, std::chrono::milliseconds patience);

    /// Whether somebody holds the lock of the file now. The descriptor stays the caller's.
    static bool isHeld(int descriptor);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

    [[nodiscard]] int descriptor() const { return m_descriptor; }

    /// Makes the lock the caller's, until this descriptor is closed.
    int release();

    /// Whether the file system itself keeps it, for all machines that use it.
    [[nodiscard]] bool isOfFileSystem() const { return m_isOfFileSystem; }

  private:
    explicit FileLock(int descriptor) : m_descriptor(descriptor) {}
    bool acquire();

    int m_descriptor;
    int m_standIn = -1;
    bool m_isOfFileSystem = false;
};

}  // namespace meshreel
