// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/text_conditioning.h"

#include <algorithm>
#include <vector>

#include "engine/text/prompt_cleaning.h"
#include "engine/timing/trace.h"

namespace meshreel {

PromptEmbedding embedPrompt(const Execution& execution, const Tokenizer& tokenizer,
                            const Umt5Encoder& encoder, std::string_view prompt,
                            std::int64_t maxSequenceLength) {
    const auto span = traceSpan(execution.trace, "Encode-Prompt");
    const Tokenizer::Encoded encoded = tokenizer.encode(cleanPrompt(prompt), maxSequenceLength);
    const std::int64_t tokens = encoded.length;
    const Shape used{1, tokens};
    const std::vector<std::int64_t> ids(encoded.ids.begin(), encoded.ids.begin() + tokens);
    const Tensor states = encoder.encode(execution, Tensor::from(used, ids),
                                         Tensor::from(used, std::vector<std::int64_t>(ids.size(), 1)));

    PromptEmbedding result{Tensor::zeros({1, maxSequenceLength, states.extent(2)}), tokens,
                           encoded.truncated};
    std::ranges::copy(states.data<float>(), result.embedding.data<float>().begin());
    return result;
}

}  // namespace meshreel
