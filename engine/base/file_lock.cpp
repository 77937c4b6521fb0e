// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/file_lock.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>

namespace meshreel {
namespace {

enum class Answer { Taken, Held, NoLocks };

Answer askFileSystem(int descriptor, int operation) {
    int result = 0;
    do
        result = ::flock(descriptor, operation | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return Answer::Taken;
    return errno == EWOULDBLOCK ? Answer::Held : Answer::NoLocks;
}

/// An abstract socket: a name that lies in no file system, that one socket of the machine has at a time, and
/// that goes with its process.
struct StandIn {
    explicit StandIn(int file) {
        struct stat status {};
        if (::fstat(file, &status) != 0)
            return;
        const std::string name = fmt::format("meshreel-lock-{:x}-{:x}", status.st_dev, status.st_ino);
        address.sun_family = AF_UNIX;
        std::ranges::copy(name, address.sun_path + 1);  // behind a zero: abstract
        length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    }

    [[nodiscard]] const sockaddr* where() const { return reinterpret_cast<const sockaddr*>(&address); }

    sockaddr_un address{};
    socklen_t length = 0;
    int descriptor = -1;  ///< -1: there are no such names here either
};

bool standInIsHeld(int file) {
    const StandIn name(file);
    if (name.descriptor < 0)
        return false;
    // Nobody accepts: the queue of who asks may be full, which is an answer as well.
    const bool held = ::connect(name.descriptor, name.where(), name.length) == 0 || errno == EAGAIN;
    ::close(name.descriptor);
    return held;
}

}  // namespace

bool FileLock::acquire() {
    const Answer answer = askFileSystem(m_descriptor, LOCK_EX);
    m_isOfFileSystem = answer == Answer::Taken;
    if (answer != Answer::NoLocks)
        return m_isOfFileSystem;
    const StandIn name(m_descriptor);
    if (name.descriptor < 0)
        return true;
    const bool isHeld = ::bind(name.descriptor, name.where(), name.length) != 0 && errno == EADDRINUSE;
    if (isHeld || ::listen(name.descriptor, 1) != 0) {
        ::close(name.descriptor);
        return !isHeld;
    }
    m_standIn = name.descriptor;
    return true;
}

std::optional<FileLock> FileLock::tryTake(int descriptor) {
    FileLock lock(descriptor);
    if (!lock.acquire())
        return std::nullopt;
    return lock;
}

std::optional<FileLock> FileLock::take(int descriptor, std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds pause{5};
    const auto deadline = std::chrono::steady_clock::now() + patience;
    FileLock lock(descriptor);
    while (!lock.acquire()) {
        if (std::chrono::steady_clock::now() >= deadline)
            return std::nullopt;
        std::this_thread::sleep_for(pause);
    }
    return lock;
}

bool FileLock::isHeld(int descriptor) {
    // A shared lock is refused only while the exclusive one is held.
    const Answer answer = askFileSystem(descriptor, LOCK_SH);
    if (answer == Answer::Taken)
        askFileSystem(descriptor, LOCK_UN);
    return answer == Answer::Held || (answer == Answer::NoLocks && standInIsHeld(descriptor));
}

FileLock::FileLock(FileLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_standIn(std::exchange(other.m_standIn, -1)),
      m_isOfFileSystem(other.m_isOfFileSystem) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_standIn, other.m_standIn);
    std::swap(m_isOfFileSystem, other.m_isOfFileSystem);
    return *this;
}

int FileLock::release() {
    if (m_standIn < 0)
        return std::exchange(m_descriptor, -1);
    return std::exchange(m_standIn, -1);
}

FileLock::~FileLock() {
    for (const int descriptor : {m_standIn, m_descriptor})
        if (descriptor >= 0)
            ::close(descriptor);
}

}  // namespace meshreel
