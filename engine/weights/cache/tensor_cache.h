// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/sentence.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {

/// What the tensors of a cache are, in the file and in words.
struct CachedTensorKind {
    const char* tensor;    ///< its name in the file
    std::size_t rank;      ///< of its shape
    Sentence isDamaged;    ///< of an entry
    Sentence notUsed;      ///< what is told before the reason when an entry is damaged
    Sentence notKept;      ///< the same when one cannot be written
    const char* clearing;  ///< the command that empties the cache
};

/// f32 tensors across runs, each in a file of its own with its key and hash: to the last bit as they were
/// put. A damaged entry counts as none. Nothing that goes wrong with the cache stops a run: it is told to
/// `warn`.
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

}  // namespace meshreel
