// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/text/text_encoder.h"

namespace meshreel {

/// A SentencePiece model: its own normalisation and segmentation, then eos (transformers' slow T5Tokenizer).
/// Throws Error{Input} when the file cannot be read or names no eos or pad piece.
std::shared_ptr<const TextEncoder> openSentencePiece(const std::filesystem::path& file);

/// How many pieces such a file holds; its model is not made. Throws Error{Input} where it is cut off.
std::int64_t countPieces(const std::filesystem::path& file);

}  // namespace meshreel
