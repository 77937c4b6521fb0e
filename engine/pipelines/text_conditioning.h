// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/models/text_encoder/umt5.h"
#include "engine/pipelines/prompt_cache.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

struct PromptEmbedding {
    Tensor embedding;         ///< [1, maxSequenceLength, dModel] f32, zero rows from `tokens` on
    std::int64_t tokens = 0;  ///< end mark included
    bool truncated = false;   ///< the prompt was longer than maxSequenceLength
};

struct PromptEmbeddings {
    std::vector<PromptEmbedding> prompts;
    bool encoderSkipped = false;  ///< all were in the cache
};

/// Cleans, tokenises and encodes prompts, all that are not in the cache (when there is one) in one pass over
/// the encoder's weights. Only a prompt's own
/// tokens run through the encoder: the padding is masked there and zeroed after it, so the results are those
/// of diffusers' padded calls.
PromptEmbeddings embedPrompts(const Execution& execution, const Tokenizer& tokenizer,
                              const Umt5Encoder& encoder, std::span<const std::string> prompts,
                              std::int64_t maxSequenceLength, const PromptCache* cache = nullptr);

}  // namespace meshreel
