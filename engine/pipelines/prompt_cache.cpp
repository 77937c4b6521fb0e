// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/prompt_cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/weights/cache/checkpoint_identity.h"
#include "engine/weights/cache/content_hash.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* tensorName = "hidden_states";
constexpr const char* keyName = "key";
constexpr const char* hashName = "xxh3";

std::string hashText(const Tensor& states) {
    return fmt::format("{:016x}", contentHash({states.raw(), states.bytes()}));
}

std::string metadataOf(const SafetensorsFile& file, const char* name) {
    const auto found = file.metadata().find(name);
    return found == file.metadata().end() ? std::string() : found->second;
}

Tensor checkedStates(const SafetensorsFile& file) {
    Tensor states = file.get(tensorName);
    if (states.dtype() != DType::F32 || states.shape().rank() != 3 ||
        metadataOf(file, hashName) != hashText(states))
        throw Error(ErrorKind::Input, "the cached embedding of a prompt is damaged", file.path().string(),
                    "Clear the cache (meshreel cache clear --prompts): it is made again");
    return states;
}

}  // namespace

PromptCache::PromptCache(CacheFolder folder, Warn warn)
    : m_folder(std::move(folder)), m_warn(std::move(warn)) {}

std::optional<Tensor> PromptCache::find(const std::string& key) const {
    const fs::path entry = m_folder.fileOf(key);
    std::error_code ignored;
    if (!fs::exists(entry, ignored))
        return std::nullopt;
    try {
        const SafetensorsFile file = SafetensorsFile::open(entry);
        Tensor states = checkedStates(file).clone();
        if (metadataOf(file, keyName) != key)
            return std::nullopt;
        m_folder.markUsed(entry);
        return states;
    } catch (const Error& failure) {
        m_warn(std::string("A prompt in the cache is not used and encoded again: ") + failure.what());
        return std::nullopt;
    }
}

void PromptCache::put(const std::string& key, const Tensor& states) const {
    constexpr std::uint64_t headerBytes = 4096;  // about: room is made in whole entries
    try {
        const std::optional<CacheLock> lock = m_folder.tryLock();
        if (!lock || !m_folder.makeRoom(*lock, states.bytes() + key.size() + headerBytes))
            return;
        writeSafetensors(m_folder.fileOf(key), std::vector<NamedTensor>{{tensorName, states}},
                         {{keyName, key}, {hashName, hashText(states)}});
    } catch (const Error& failure) {
        m_warn(std::string("An encoded prompt is not kept: ") + failure.what());
    }
}

void verifyPromptEntry(const fs::path& entry) {
    static_cast<void>(checkedStates(SafetensorsFile::open(entry)));
}

std::string promptKey(const Execution& execution, const Umt5Encoder& encoder,
                      std::span<const std::int64_t> ids) {
    const std::string_view commit = versionCommit();
    const bool tellsTheSource = commit != "unknown" && !commit.ends_with("-dirty");
    return nlohmann::json{{"text_encoder", checkpointIdentity(encoder.checkpoint())},
                          {"ids", ids},
                          {"arithmetic", nameOf(encoder.arithmetic())},
                          {"program", tellsTheSource ? std::string(commit) : programBuildId()},
                          {"kernels", {isaName(), matmulLibrary()}},
                          {"workers", execution.workers.size()}}
        .dump();
}

}  // namespace meshreel
