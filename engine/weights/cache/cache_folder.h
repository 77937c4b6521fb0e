// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The right to write into a cache folder, for one writer at a time in all processes; the kernel releases it
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
/// under a limit: the least recently used go first. A process that has a removed file mapped keeps it.
class CacheFolder {
  public:
    /// Creates nothing before tryLock(). `extension` with its dot.
    CacheFolder(std::filesystem::path folder, std::string extension, std::uint64_t limitBytes);

    [[nodiscard]] const std::filesystem::path& path() const { return m_folder; }
    [[nodiscard]] std::uint64_t limitBytes() const { return m_limitBytes; }

    /// Returns where the entry of a key is or will be.
    [[nodiscard]] std::filesystem::path fileOf(std::string_view key) const;

    /// Counts an entry as used now. (The time of the last change stays: only the access time moves.)
    void markUsed(const std::filesystem::path& file) const;

    /// Makes the folder when it is missing, and removes what killed writers left. Nothing when another writer
    /// is at work. Throws Error{Input} when the folder cannot be made or written to.
    [[nodiscard]] std::optional<CacheLock> tryLock() const;

    /// Removes entries until `bytes` more fit under the limit and onto the disk beside the `written` ones of
    /// an entry that is not complete. False, and nothing is removed, when an empty folder would not be
    /// enough.
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

/// What the tensors of a cache are, in the file and in words.
struct CachedTensorKind {
    const char* tensor;    ///< its name in the file
    std::size_t rank;      ///< rank of its shape
    Sentence isDamaged;    ///< says that an entry is damaged
    Sentence notUsed;      ///< said before the reason when an entry is damaged
    Sentence notKept;      ///< said before the reason when one cannot be written
    const char* clearing;  ///< the command that empties the cache
};

/// Keeps f32 tensors across runs, bit by bit, each in a file of its own with its key and hash. A damaged
/// entry counts as none. No failure of the cache stops a run: it is reported to `warn`.
class TensorCache {
  public:
    using Warn = std::function<void(const Sentence&)>;

    /// `kind` outlives the cache.
    TensorCache(CacheFolder folder, const CachedTensorKind& kind, Warn warn);

    [[nodiscard]] std::optional<Tensor> find(const std::string& key) const;
    void put(const std::string& key, const Tensor& tensor) const;

  private:
    CacheFolder m_folder;
    const CachedTensorKind* m_kind;
    Warn m_warn;
};

/// Throws Error{Input} for a damaged entry; `entry` as TensorCache writes it.
void verifyCachedTensor(const std::filesystem::path& entry, const CachedTensorKind& kind);

/// What is kept from one run for the next ones; all of it can be made again.
struct Caches {
    CacheFolder prompts;   ///< see PromptCache
    CacheFolder weights;   ///< see PackedWeightStore
    CacheFolder previews;  ///< see PreviewCache
};

/// Returns "prompts", "weights" and "previews" in userCacheFolder(). The limit of the weights is
/// MESHREEL_WEIGHT_CACHE_GIB (0: nothing is kept), else 40 GB or half of the disk space available for them,
/// whichever is less. Throws Error{Project} when the variable is not a number.
Caches userCaches();

}  // namespace meshreel
