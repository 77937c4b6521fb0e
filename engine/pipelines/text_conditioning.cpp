// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/text_conditioning.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/tensor/compute_device.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/timing/trace.h"
#include "engine/weights/cache/fingerprint.h"

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
    nlohmann::json key{{"text_encoder", checkpointIdentity(encoder.checkpoint())},
                       {"ids", ids},
                       {"arithmetic", nameOf(encoder.arithmetic())},
                       {"program", tellsTheSource ? std::string(commit) : programBuildId()}};
    if (encoder.isOnGpu()) {
        key["gpu"] = execution.gpu->id();
    } else {
        key["kernels"] = {isaName(), matmulLibrary()};
        key["workers"] = execution.workers.size();
    }
    return key.dump();
}

namespace {

/// The prompt's own tokens, without padding.
Umt5Input toUmt5Input(const Tokenizer::Encoded& encoded) {
    const std::vector<std::int64_t> ids(encoded.ids.begin(), encoded.ids.begin() + encoded.length);
    return {.ids = Tensor::from({1, encoded.length}, ids), .mask = Tensor()};
}

Tensor paddedWithZeros(const Tensor& states, std::int64_t rows) {
    Tensor result = Tensor::zeros({1, rows, states.extent(2)});
    std::ranges::copy(states.data<float>(), result.data<float>().begin());
    return result;
}

std::string keyOf(const Execution& execution, const Umt5Encoder& encoder, const Umt5Input& input) {
    return promptKey(execution, encoder, input.ids.data<std::int64_t>());
}

std::optional<Tensor> cachedStates(const Execution& execution, const Umt5Encoder& encoder,
                                   const Umt5Input& input, const PromptCache* cache) {
    if (cache == nullptr)
        return std::nullopt;
    std::optional<Tensor> states = cache->find(keyOf(execution, encoder, input));
    const Shape wanted{1, input.ids.extent(1), encoder.config().dModel};
    return states && states->shape() == wanted ? states : std::nullopt;
}

/// Encodes the inputs without states, together, and gives the cache what was encoded.
void encodeMissing(const Execution& execution, const Umt5Encoder& encoder, std::span<const Umt5Input> inputs,
                   const PromptCache* cache, std::vector<std::optional<Tensor>>& states) {
    std::vector<Umt5Input> missing;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!states[i])
            missing.push_back(inputs[i]);
    const std::vector<Tensor> encoded = encoder.encode(execution, missing);
    auto next = encoded.begin();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (states[i])
            continue;
        states[i] = *next++;
        if (cache != nullptr)
            cache->put(keyOf(execution, encoder, inputs[i]), *states[i]);
    }
}

}  // namespace

PromptEmbeddings embedPrompts(const Execution& execution, const Tokenizer& tokenizer,
                              const Umt5Encoder& encoder, std::span<const std::string> prompts,
                              std::int64_t maxSequenceLength, const PromptCache* cache) {
    const auto span = traceSpan(execution.trace, "Encode-Prompt");
    std::vector<Tokenizer::Encoded> encoded;
    std::vector<Umt5Input> inputs;
    std::vector<std::optional<Tensor>> states;
    for (const std::string& prompt : prompts) {
        encoded.push_back(tokenizer.encode(cleanPrompt(prompt), maxSequenceLength));
        inputs.push_back(toUmt5Input(encoded.back()));
        states.push_back(cachedStates(execution, encoder, inputs.back(), cache));
    }
    PromptEmbeddings result;
    result.encoderSkipped = std::ranges::all_of(states, [](const auto& known) { return known.has_value(); });
    if (!result.encoderSkipped)
        encodeMissing(execution, encoder, inputs, cache, states);
    for (std::size_t i = 0; i < states.size(); ++i)
        result.prompts.push_back({.embedding = paddedWithZeros(*states[i], maxSequenceLength),
                                  .tokens = encoded[i].length,
                                  .truncated = encoded[i].truncated});
    return result;
}

}  // namespace meshreel
