// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/prompt_cache.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/weights/cache/checkpoint_identity.h"

namespace meshreel {
namespace {

const CachedTensorKind& promptKind() {
    static const CachedTensorKind kind{
        .tensor = "hidden_states",
        .rank = 3,
        .isDamaged = sentence("the cached embedding of a prompt is damaged"),
        .notUsed = sentence("A prompt in the cache is not used and encoded again"),
        .notKept = sentence("An encoded prompt is not kept"),
        .clearing = "meshreel cache clear --prompts",
    };
    return kind;
}

}  // namespace

PromptCache::PromptCache(CacheFolder folder, Warn warn)
    : m_tensors(std::move(folder), promptKind(), std::move(warn)) {}

std::optional<Tensor> PromptCache::find(const std::string& key) const {
    return m_tensors.find(key);
}

void PromptCache::put(const std::string& key, const Tensor& states) const {
    m_tensors.put(key, states);
}

void verifyPromptEntry(const std::filesystem::path& entry) {
    verifyCachedTensor(entry, promptKind());
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
