// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/sentence.h"
#include "engine/weights/cache/cache_folder.h"
#include "engine/weights/cache/packed_weights_file.h"

namespace meshreel {

class PackedWeightsWriter;

/// The packed weights of one model part across runs. Where the cache holds them, find() gives them; where it
/// does not, put() collects what was packed and finish() publishes it. Nothing that goes wrong with the cache
/// stops a load: it is told to `warn`, and the weights are packed as if there were no cache.
class PackedWeightStore {
  public:
    using Warn = std::function<void(const Sentence&)>;

    /// `key` says all that the packed bytes depend on.
    PackedWeightStore(CacheFolder folder, std::string key, Warn warn);
    ~PackedWeightStore();
    PackedWeightStore(const PackedWeightStore&) = delete;
    PackedWeightStore& operator=(const PackedWeightStore&) = delete;

    /// Whether the cache held a file of this key when the store was made.
    [[nodiscard]] bool hit() const { return m_file != nullptr; }

    /// Mapped, its hash checked. Nothing when it is not there or damaged.
    [[nodiscard]] std::optional<StoredTensor> find(std::string_view name);

    /// Keeps a copy on the disk, when the store collects.
    void put(const std::string& name, const std::string& format, std::span<const std::byte> bytes);

    /// After all weights of the part: publishes what was put, and removes a file that proved damaged, so that
    /// the next load makes it again.
    void finish();

  private:
    void openExisting();
    void startCollecting();
    void giveUp(const Sentence& why);

    CacheFolder m_folder;
    std::string m_key;
    Warn m_warn;
    std::shared_ptr<const PackedWeightsFile> m_file;
    bool m_damaged = false;
    bool m_collecting = false;  // tried to: a file that lacks what came before would not do
    std::optional<CacheLock> m_lock;
    std::unique_ptr<PackedWeightsWriter> m_writer;
};

}  // namespace meshreel
