// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/cache_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/weights/cache/content_hash.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* lockName = ".lock";

[[noreturn]] void throwUnwritable(const fs::path& folder, const std::string& reason) {
    throw Error(ErrorKind::Input, sentence("the cache cannot be written ({})", reason), folder.string(),
                sentence("Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache"));
}

}  // namespace

CacheLock::CacheLock(CacheLock&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

CacheLock& CacheLock::operator=(CacheLock&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

CacheLock::~CacheLock() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

CacheFolder::CacheFolder(fs::path folder, std::string extension, std::uint64_t limitBytes)
    : m_folder(std::move(folder)), m_extension(std::move(extension)), m_limitBytes(limitBytes) {}

fs::path CacheFolder::fileOf(std::string_view key) const {
    return m_folder / (nameHash(key) + m_extension);
}

void CacheFolder::markUsed(const fs::path& file) const {
    // Said outright, as most systems are mounted to keep access times roughly or not at all.
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

std::optional<CacheLock> CacheFolder::tryLock() const {
    std::error_code failure;
    fs::create_directories(m_folder, failure);
    if (failure)
        throwUnwritable(m_folder, failure.message());
    CacheLock lock(::open((m_folder / lockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock.m_descriptor < 0)
        throwUnwritable(m_folder, std::strerror(errno));
    if (::flock(lock.m_descriptor, LOCK_EX | LOCK_NB) != 0)
        return std::nullopt;
    removeAbandonedTemporaries(m_folder);
    return lock;
}

bool CacheFolder::makeRoom(const CacheLock& /*lock*/, std::uint64_t bytes, std::uint64_t written) const {
    std::uint64_t held = written;
    const std::vector<CacheEntry> oldestFirst = entries();
    for (const CacheEntry& entry : oldestFirst)
        held += entry.bytes;
    std::error_code failure;
    const fs::space_info disk = fs::space(m_folder, failure);
    const std::uint64_t free = failure ? 0 : disk.available;
    if (written + bytes > m_limitBytes || bytes > free + held - written)
        return false;
    std::uint64_t freed = 0;
    const auto fits = [&] { return held - freed + bytes <= m_limitBytes && bytes <= free + freed; };
    for (const CacheEntry& entry : oldestFirst)
        if (!fits() && fs::remove(entry.file, failure))
            freed += entry.bytes;
    return fits();
}

std::vector<CacheEntry> CacheFolder::entries() const {
    std::vector<CacheEntry> entries;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, ignored)) {
        const fs::path& file = entry.path();
        struct stat status {};
        const bool hidden = file.filename().string().starts_with('.');  // being written
        if (!hidden && file.extension() == m_extension && ::stat(file.c_str(), &status) == 0)
            entries.push_back({.file = file,
                               .bytes = static_cast<std::uint64_t>(status.st_size),
                               .lastUsed = decltype(CacheEntry::lastUsed)(
                                   std::chrono::seconds(status.st_atim.tv_sec) +
                                   std::chrono::nanoseconds(status.st_atim.tv_nsec))});
    }
    std::ranges::sort(entries, [](const CacheEntry& a, const CacheEntry& b) {
        return std::tie(a.lastUsed, a.file) < std::tie(b.lastUsed, b.file);
    });
    return entries;
}

std::size_t CacheFolder::clear() const {
    std::size_t removed = 0;
    std::error_code ignored;
    for (const CacheEntry& entry : entries())
        removed += fs::remove(entry.file, ignored) ? 1 : 0;
    if (fs::is_directory(m_folder, ignored))
        static_cast<void>(tryLock());
    return removed;
}

}  // namespace meshreel
