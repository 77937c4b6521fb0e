// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// The right to write into a cache folder, of one writer at a time in all processes; the kernel releases it
/// however the process ends.
class CacheLock {
  public:
    CacheLock(CacheLock&& other) noexcept;
    CacheLock& operator=(CacheLock&& other) noexcept;
    CacheLock(const CacheLock&) = delete;
    CacheLock& operator=(const CacheLock&) = delete;
    ~CacheLock();

  private:
    friend class CacheFolder;
    explicit CacheLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor;
};

struct CacheEntry {
    std::filesystem::path file;
    std::uint64_t bytes = 0;
    std::chrono::sys_time<std::chrono::nanoseconds> lastUsed;
};

/// A folder of files that can be made again from something else, each named after its key. Together they stay
/// under a limit: what was used longest ago goes first. A file that goes while somebody has it mapped stays
/// theirs.
class CacheFolder {
  public:
    /// Nothing is created before tryLock(). `extension` with its dot.
    CacheFolder(std::filesystem::path folder, std::string extension, std::uint64_t limitBytes);

    [[nodiscard]] const std::filesystem::path& path() const { return m_folder; }
    [[nodiscard]] std::uint64_t limitBytes() const { return m_limitBytes; }

    /// Where the entry of a key lies or will lie.
    [[nodiscard]] std::filesystem::path fileOf(std::string_view key) const;

    /// Counts an entry as used now. (The time of the last change stays: only the access time moves.)
    void markUsed(const std::filesystem::path& file) const;

    /// Makes the folder when it is missing, and removes what killed writers left. Nothing when another writer
    /// is at work. Throws Error{Input} when the folder cannot be made or written to.
    [[nodiscard]] std::optional<CacheLock> tryLock() const;

    /// Removes entries until `bytes` more fit under the limit and onto the disk beside the `written` ones of
    /// an entry that is not complete. False, and nothing is removed, when an empty folder would not do.
    [[nodiscard]] bool makeRoom(const CacheLock& lock, std::uint64_t bytes, std::uint64_t written = 0) const;

    /// Least recently used first.
    [[nodiscard]] std::vector<CacheEntry> entries() const;

    /// Removes all entries, and what killed writers left unless one is at work now. Returns how many went.
    [[nodiscard]] std::size_t clear() const;

  private:
    std::filesystem::path m_folder;
    std::string m_extension;
    std::uint64_t m_limitBytes;
};

}  // namespace meshreel
