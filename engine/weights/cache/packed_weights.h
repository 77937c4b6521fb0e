// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/cache/cache_folder.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

/// Where tensors begin in the file: at a page, so that each can be given back by itself.
inline constexpr std::uint64_t packedDataAlignment = 4096;

/// A weight in the form that some kernel wants: its bytes, and the kernel's own description of them.
struct StoredTensor {
    std::string format;
    Tensor bytes;  ///< u8 [n], aligned to 64 bytes
};

/// A file of packed weights, mapped. Written by PackedWeightStore.
class PackedWeightsFile {
  public:
    /// Checks prefix, size and directory, not the data. Throws Error{Input} saying what is wrong.
    static std::shared_ptr<const PackedWeightsFile> open(const std::filesystem::path& file);

    [[nodiscard]] const std::string& key() const { return m_key; }
    [[nodiscard]] std::size_t tensors() const { return m_entries.size(); }

    /// Returns a view into the map, which it keeps alive. The first call for a name reads all of its bytes to
    /// check their hash. Nothing for an unknown name; throws Error{Input} for damaged bytes.
    [[nodiscard]] std::optional<StoredTensor> find(std::string_view name) const;

    /// Checks every hash again. Throws Error{Input} naming the first damaged tensor.
    void verify() const;

  private:
    struct Entry {
        std::string format;
        std::span<const std::byte> bytes;
        std::uint64_t hash = 0;
        mutable std::atomic<bool> checked = false;
    };

    explicit PackedWeightsFile(std::shared_ptr<const MappedFile> map) : m_map(std::move(map)) {}
    void readDirectory(std::span<const std::byte> directory);
    void check(const std::string& name, const Entry& entry) const;

    std::shared_ptr<const MappedFile> m_map;
    std::string m_key;
    std::map<std::string, Entry, std::less<>> m_entries;
};

/// The packed weights of one model part across runs. If the cache holds them, find() returns them; otherwise
/// put() collects what was packed and finish() publishes it. No failure of the cache stops a load: it is
/// reported to `warn`, and the weights are packed as if there were no cache.
class PackedWeightStore {
  public:
    using Warn = std::function<void(const Sentence&)>;

    /// `key` says all that the packed bytes depend on.
    PackedWeightStore(CacheFolder folder, std::string key, Warn warn);
    ~PackedWeightStore();
    PackedWeightStore(const PackedWeightStore&) = delete;
    PackedWeightStore& operator=(const PackedWeightStore&) = delete;

    /// Returns whether the cache held a file of this key when the store was made.
    [[nodiscard]] bool hit() const { return m_file != nullptr; }

    /// Mapped, its hash checked. Nothing when it is not there or damaged.
    [[nodiscard]] std::optional<StoredTensor> find(std::string_view name);

    /// Keeps a copy on the disk, when the store collects.
    void put(const std::string& name, const std::string& format, std::span<const std::byte> bytes);

    /// After all weights of the part: publishes what was put, and removes a file that proved damaged, so that
    /// the next load makes it again.
    void finish();

  private:
    class Writer;

    void openExisting();
    void startCollecting();
    void giveUp(const Sentence& why);

    CacheFolder m_folder;
    std::string m_key;
    Warn m_warn;
    std::shared_ptr<const PackedWeightsFile> m_file;
    bool m_damaged = false;
    bool m_collecting = false;  // has tried to: a file that lacks earlier entries would be useless
    std::optional<CacheLock> m_lock;
    std::unique_ptr<Writer> m_writer;
};

}  // namespace meshreel
