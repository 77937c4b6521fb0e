// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/text_conditioning.h"

#include <algorithm>
#include <optional>

#include "engine/text/prompt_cleaning.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

/// The prompt's own tokens, without padding.
Umt5Input inputOf(const Tokenizer::Encoded& encoded) {
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
        inputs.push_back(inputOf(encoded.back()));
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
