// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/models/encoders/umt5.h"
#include "engine/tensor/tensor.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {

/// Encoded prompts across runs: the hidden states of a prompt's own tokens, as the encoder gave them to the
/// last bit. A damaged entry counts as none. Nothing that goes wrong with the cache stops a run: it goes to
/// `warn`.
class PromptCache {
  public:
    using Warn = TensorCache::Warn;

    PromptCache(CacheFolder folder, Warn warn);

    /// f32 [1, tokens, dModel], or nothing.
    [[nodiscard]] std::optional<Tensor> find(const std::string& key) const;

    void put(const std::string& key, const Tensor& states) const;

  private:
    TensorCache m_tensors;
};

/// Throws Error{Input} for a damaged entry; `entry` as PromptCache writes it.
void verifyPromptEntry(const std::filesystem::path& entry);

/// Returns all that the states of a prompt depend on: the encoder's weights, the ids of the prompt's own
/// tokens (what the tokenizer made of it; neither it nor the length of the padding matters beyond them), and
/// what decides the bits of a product: program, kernels, workers, or the GPU and its driver.
std::string promptKey(const Execution& execution, const Umt5Encoder& encoder,
                      std::span<const std::int64_t> ids);

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
/// the encoder's weights. Only a prompt's own tokens run through the encoder: the padding is masked there and
/// zeroed after it, so the results are those of diffusers' padded calls.
PromptEmbeddings embedPrompts(const Execution& execution, const Tokenizer& tokenizer,
                              const Umt5Encoder& encoder, std::span<const std::string> prompts,
                              std::int64_t maxSequenceLength, const PromptCache* cache = nullptr);

}  // namespace meshreel
