// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/shape.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/weights_writer.h"

namespace meshreel {

/// Returns whether the bytes start as a GGUF file does.
bool isGguf(std::span<const std::byte> bytes);

/// Returns the directory of a GGUF file of version 2 or 3. Shapes are outermost first, as elsewhere; tensors
/// of up to eight axes are read, and a tensor that ComfyUI's tools stored flattened gets its own shape back
/// (comfy.gguf.orig_shape.NAME). Metadata values become text, lists in brackets, the middle of long lists
/// left out. Throws Error{Input} for damaged files, big-endian ones and version 1; nothing in the file makes
/// it take more memory than a multiple of the header's bytes.
TensorDirectory readGgufDirectory(std::span<const std::byte> bytes, const std::string& file);

/// The Unigram tokenizer in the metadata of a text encoder (tokenizer.ggml.…, tokenizer model "t5"). The
/// lists are as in the file: their lengths may differ.
struct GgufVocabulary {
    std::vector<std::string> tokens;
    std::vector<float> scores;
    std::vector<std::int32_t> kinds;  ///< SentencePiece's: 1 normal, 2 unknown, 3 control, …
    std::string charsMap;             ///< SentencePiece's compiled normaliser; empty: texts stay unchanged
    bool addsSpace = true;            ///< in front of a text
    bool removesSpaces = true;        ///< at the ends, and repeated ones
    std::uint32_t padding = 0;
    std::uint32_t end = 1;
    std::uint32_t unknown = 2;
};

/// Returns nothing when the file holds none, or one of another kind. Throws as readGgufDirectory() does.
std::optional<GgufVocabulary> readGgufVocabulary(std::span<const std::byte> bytes, const std::string& file);

inline constexpr std::size_t ggufAlignment = 32;  ///< for tensors in a file that names no other

/// Returns what precedes the tensors in a file of version 3: they follow in their order, each at the next
/// multiple of ggufAlignment. Metadata values are texts. Throws Error{Project} for a type that GGUF does not
/// have.
std::string ggufHead(std::span<const StoredSpec> tensors, const std::map<std::string, std::string>& metadata);

/// One tensor to be written: `bytes` as `type` stores `shape`.
struct GgufTensor {
    std::string name;
    Shape shape;
    StoredType type = StoredType::F32;
    std::span<const std::byte> bytes;
};

/// Writes a GGUF file of version 3, atomically. Metadata values are texts.
void writeGguf(const std::filesystem::path& file, std::span<const GgufTensor> tensors,
               const std::map<std::string, std::string>& metadata);

}  // namespace meshreel
