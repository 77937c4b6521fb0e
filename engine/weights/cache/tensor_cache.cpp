// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/tensor_cache.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/weights/cache/content_hash.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* keyName = "key";
constexpr const char* hashName = "xxh3";

std::string hashText(const Tensor& tensor) {
    return fmt::format("{:016x}", contentHash({tensor.raw(), tensor.bytes()}));
}

std::string cachedMetadata(const SafetensorsFile& file, const char* name) {
    const auto found = file.metadata().find(name);
    return found == file.metadata().end() ? std::string() : found->second;
}

Tensor checkedTensor(const SafetensorsFile& file, const CachedTensorKind& kind) {
    Tensor tensor = file.get(kind.tensor);
    if (tensor.dtype() != DType::F32 || tensor.shape().rank() != kind.rank ||
        cachedMetadata(file, hashName) != hashText(tensor))
        throw Error(ErrorKind::Input, kind.isDamaged, file.path().string(),
                    sentence("Clear the cache ({}): it is made again", kind.clearing));
    return tensor;
}

}  // namespace

TensorCache::TensorCache(CacheFolder folder, const CachedTensorKind& kind, Warn warn)
    : m_folder(std::move(folder)), m_kind(&kind), m_warn(std::move(warn)) {}

std::optional<Tensor> TensorCache::find(const std::string& key) const {
    const fs::path entry = m_folder.fileOf(key);
    std::error_code ignored;
    if (!fs::exists(entry, ignored))
        return std::nullopt;
    try {
        const SafetensorsFile file = SafetensorsFile::open(entry);
        Tensor tensor = checkedTensor(file, *m_kind).clone();
        if (cachedMetadata(file, keyName) != key)
            return std::nullopt;
        m_folder.markUsed(entry);
        return tensor;
    } catch (const Error& failure) {
        m_warn(sentence("{}: {}", m_kind->notUsed, failure.asSentence()));
        return std::nullopt;
    }
}

void TensorCache::put(const std::string& key, const Tensor& tensor) const {
    constexpr std::uint64_t headerBytes = 4096;  // about: room is made in whole entries
    try {
        const std::optional<CacheLock> lock = m_folder.tryLock();
        if (!lock || !m_folder.makeRoom(*lock, tensor.bytes() + key.size() + headerBytes))
            return;
        writeSafetensors(m_folder.fileOf(key), std::vector<NamedTensor>{{m_kind->tensor, tensor}},
                         {{keyName, key}, {hashName, hashText(tensor)}});
    } catch (const Error& failure) {
        m_warn(sentence("{}: {}", m_kind->notKept, failure.asSentence()));
    }
}

void verifyCachedTensor(const fs::path& entry, const CachedTensorKind& kind) {
    static_cast<void>(checkedTensor(SafetensorsFile::open(entry), kind));
}

}  // namespace meshreel
