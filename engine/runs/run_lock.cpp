// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/plain_file.h"

namespace meshreel {

std::optional<RunLock> RunLock::tryTake(const std::filesystem::path& folder) {
    RunLock lock(openPlainFile(folder / fileName, O_RDWR | O_CREAT));
    const int descriptor = lock.m_descriptor;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return std::nullopt;
    // Who held it before may have removed the file with the folder meanwhile.
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || status.st_nlink == 0)
        return std::nullopt;
    return lock;
}

bool RunLock::isHeld(const std::filesystem::path& folder) {
    const int descriptor =
        ::open((folder / fileName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    // A shared lock is refused only while somebody holds the exclusive one; closing gives it back at once.
    const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return held;
}

RunLock::RunLock(RunLock&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
    if (this != &other) {
        release();
        m_descriptor = std::exchange(other.m_descriptor, -1);
    }
    return *this;
}

RunLock::~RunLock() {
    release();
}

void RunLock::release() {
    if (m_descriptor >= 0)
        ::close(std::exchange(m_descriptor, -1));
}

}  // namespace meshreel
