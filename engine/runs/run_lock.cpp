// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

std::optional<RunLock> RunLock::tryTake(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / fileName;
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0)
        throw Error(ErrorKind::Input,
                    sentence("the run folder cannot be written to ({})", std::strerror(errno)),
                    folder.string(), sentence("Choose a folder that you may write to"));
    RunLock lock(descriptor);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return std::nullopt;
    return lock;
}

bool RunLock::isHeld(const std::filesystem::path& folder) {
    const int descriptor = ::open((folder / fileName).c_str(), O_RDONLY | O_CLOEXEC);
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
