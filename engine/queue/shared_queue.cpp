// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/shared_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {
namespace {

constexpr std::chrono::seconds lockPatience{10};  ///< a change takes milliseconds
/// Not ".lock": earlier versions of the Studio write another kind of lock under that name.
constexpr const char* lockEnding = ".lock-2";
constexpr const char* turnEnding = ".turn";

/// Throws Error{Input} when it cannot be opened; links are not followed.
int openLockFile(const std::filesystem::path& file) {
    constexpr mode_t ownOnly = 0600;
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, ownOnly);
    if (descriptor < 0)
        throw Error(ErrorKind::Input,
                    sentence("the lock of the queue cannot be opened ({})", std::strerror(errno)),
                    withTilde(file), sentence("Check the path and its permissions"));
    return descriptor;
}

}  // namespace

SharedQueue::SharedQueue(std::filesystem::path file) : m_file(std::move(file)) {}

std::filesystem::path SharedQueue::beside(const char* ending) const {
    return m_file.string() + ending;
}

SharedQueue::Signature SharedQueue::signature() const {
    struct stat status {};
    if (::stat(m_file.c_str(), &status) != 0)
        return {};
    return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
            static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtim.tv_sec),
            static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
}

void SharedQueue::noteSignature() {
    const std::scoped_lock mutex(m_signatureMutex);
    m_signature = signature();
}

RunList SharedQueue::open() {
    // What it held in earlier versions may stand in other places; and who had the turn may be gone.
    const std::optional<QueueTurn> turn = tryTurn();
    return change([&turn](RunList& list) {
        if (turn)
            list.releaseRunning();
        list.putDoneLast();
    });
}

RunList SharedQueue::change(const Change& change) {
    const std::scoped_lock mutex(m_mutex);
    std::filesystem::create_directories(m_file.parent_path());
    const std::optional<FileLock> lock = FileLock::take(openLockFile(beside(lockEnding)), lockPatience);
    if (!lock)
        throw Error(ErrorKind::Input, sentence("another program has held the queue for {} s", 10),
                    withTilde(m_file), sentence("Close other programs that use the queue, or try again"));
    if (!m_known || signature() != m_signature) {
        m_known = load();
        noteSignature();
    }
    RunList changed = *m_known;
    change(changed);
    if (changed != *m_known || m_mustWrite) {
        writeQueue(m_file, changed.runs());
        m_known = std::move(changed);
        m_mustWrite = false;
        noteSignature();
    }
    return *m_known;
}

RunList SharedQueue::load() {
    m_mustWrite = false;
    try {
        KeptQueue kept = readQueue(m_file);
        m_mustWrite = kept.isOfEarlierVersion;
        if (!kept.unread.empty()) {
            QueueDamage damage{.aside = freePath(beside(".damaged")), .unread = std::move(kept.unread)};
            if (const std::error_code failure = copyContent(m_file, damage.aside))
                throw std::filesystem::filesystem_error("the queue cannot be copied", damage.aside, failure);
            m_damage = std::move(damage);
            m_mustWrite = true;
        }
        return RunList(std::move(kept.runs));
    } catch (const Error& failure) {
        QueueDamage damage{.aside = freePath(beside(".damaged")), .why = failure.message()};
        std::filesystem::rename(m_file, damage.aside);
        m_damage = std::move(damage);
        return {};
    }
}

bool SharedQueue::isChanged() const {
    const std::scoped_lock mutex(m_signatureMutex);
    return signature() != m_signature;
}

std::optional<QueueTurn> SharedQueue::tryTurn() {
    std::filesystem::create_directories(m_file.parent_path());
    std::optional<FileLock> lock = FileLock::tryTake(openLockFile(beside(turnEnding)));
    return lock ? std::optional<QueueTurn>(std::in_place, std::move(*lock)) : std::nullopt;
}

std::optional<SharedQueue::Begun> SharedQueue::begin(
    const std::function<const QueuedRun*(const RunList&)>& choose) {
    std::optional<QueueTurn> turn = tryTurn();
    if (!turn)
        return std::nullopt;
    std::optional<QueuedRun> begun;
    change([&](RunList& list) {
        list.releaseRunning();  // whoever ran it had the turn, and has not now
        if (const QueuedRun* const chosen = choose(list)) {
            const std::string id = chosen->id;
            list.begin(id);
            begun = *list.find(id);
        }
    });
    if (!begun)
        return std::nullopt;
    return Begun{std::move(*begun), std::move(*turn)};
}

bool SharedQueue::isTurnTaken() const {
    const int descriptor = ::open(beside(turnEnding).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const bool isTaken = FileLock::isHeld(descriptor);
    ::close(descriptor);
    return isTaken;
}

std::optional<QueueDamage> SharedQueue::damage() const {
    const std::scoped_lock mutex(m_mutex);
    return m_damage;
}

}  // namespace meshreel
