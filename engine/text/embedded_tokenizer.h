// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace meshreel {

/// Returns the SentencePiece model (the bytes of spiece.model) that a text encoder's file carries: ComfyUI's
/// files as the tensor "spiece_model", GGUF files as the lists tokenizer.ggml.tokens, scores and token_type.
/// Nothing when the file carries none. Throws Error{Input} for damaged files, and for lists that do not fit
/// together.
std::optional<std::string> tokenizerInside(const std::filesystem::path& file);

}  // namespace meshreel
