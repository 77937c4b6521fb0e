// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/kernels/execution.h"
#include "engine/models/umt5.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

struct PromptEmbedding {
    Tensor embedding;         ///< [1, maxSequenceLength, dModel] f32, zero rows from `tokens` on
    std::int64_t tokens = 0;  ///< end mark included
    bool truncated = false;   ///< the prompt was longer than maxSequenceLength
};

/// Cleans, tokenises and encodes a prompt. Only the prompt's own tokens run through the encoder: the padding
/// is masked there and zeroed after it, so the result is that of diffusers' padded call.
PromptEmbedding embedPrompt(const Execution& execution, const Tokenizer& tokenizer,
                            const Umt5Encoder& encoder, std::string_view prompt,
                            std::int64_t maxSequenceLength);

}  // namespace meshreel
