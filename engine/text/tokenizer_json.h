// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/text/tokenizer.h"

namespace meshreel {

/// Returns a tokenizer.json (Hugging Face's "fast" tokenizer) with a Unigram model: added tokens, normalizer,
/// pre-tokenizer, model and post-processor are read from the file; tokenizer_config.json beside it may name
/// the pad token. Truncation and padding set in the file are left to the caller, as transformers does. Throws
/// Error{Input} for a damaged file and for components that Meshreel does not know.
std::shared_ptr<const TextEncoder> openTokenizerJson(const std::filesystem::path& file);

/// Returns one more than the largest id of its model and added tokens; read as a stream, because such files
/// have 16 MB. Throws Error{Input} when it is not JSON.
std::int64_t countTokensOfJson(const std::filesystem::path& file);

}  // namespace meshreel
