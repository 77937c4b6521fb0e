// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

using TokenIds = std::vector<std::int64_t>;

/// What surrounds the ids of a text.
struct SequenceFrame {
    TokenIds before;
    TokenIds after;  ///< eos for T5 models
    std::int64_t pad = 0;
};

/// One kind of tokenizer file.
class TextEncoder {
  public:
    virtual ~TextEncoder() = default;

    /// Ids of the text alone; `utf8` is valid UTF-8.
    [[nodiscard]] virtual TokenIds encode(std::string_view utf8) const = 0;
    [[nodiscard]] virtual const SequenceFrame& frame() const = 0;
};

/// How many tokens a tokenizer knows.
struct TokenCount {
    std::int64_t tokens = 0;  ///< the largest id and one
    /// Has none of the up to 300 sentinels ("<extra_id_0>") that transformers appends to SentencePiece's
    /// pieces.
    bool mayLackSentinels = false;

    /// Returns whether it is the tokenizer of a text encoder whose table has `rows`: those of released models
    /// are filled up to a multiple of 128.
    [[nodiscard]] bool fits(std::int64_t rows) const;
};

/// Text to piece ids of a UMT5 checkpoint, as diffusers' AutoTokenizer gives them.
class Tokenizer {
  public:
    /// `folder` is the checkpoint's tokenizer folder: tokenizer.json is used when there is one (the "fast"
    /// tokenizer), else spiece.model through SentencePiece. Throws Error{Input} when both are missing,
    /// damaged, or ask for a component that Meshreel does not know.
    static Tokenizer open(const std::filesystem::path& folder);

    /// Counts the tokens of what open(folder) gives; reads only as much of the same file as that takes.
    /// Throws Error{Input} as open() for what is missing or damaged.
    static TokenCount countTokens(const std::filesystem::path& folder);

    struct Encoded {
        std::vector<std::int64_t> ids;   ///< [maxSequenceLength], the pad id after the text
        std::vector<std::int64_t> mask;  ///< [maxSequenceLength], 1 over text and eos, 0 over padding
        std::int64_t length = 0;         ///< ids before the padding, eos included
        bool truncated = false;          ///< the text did not fit; the ids end with eos all the same
    };

    /// `cleaned` comes from cleanPrompt. Throws Error{Project} when not even eos fits.
    [[nodiscard]] Encoded encode(std::string_view cleaned, std::int64_t maxSequenceLength) const;

    /// Where encode() truncates a text.
    struct Cut {
        std::int64_t tokens = 0;  ///< of the whole text, eos included
        std::string leftOut;      ///< the first words that are not used, wholly or in part
    };
    /// Returns nothing for a text that fits.
    [[nodiscard]] std::optional<Cut> findCut(std::string_view cleaned, std::int64_t maxSequenceLength) const;

    /// Neither truncated nor padded; eos at the end.
    [[nodiscard]] std::vector<std::int64_t> ids(std::string_view cleaned) const;

  private:
    explicit Tokenizer(std::shared_ptr<const TextEncoder> encoder) : m_encoder(std::move(encoder)) {}

    std::shared_ptr<const TextEncoder> m_encoder;
};

/// Returns a SentencePiece model: its own normalisation and segmentation, then eos (transformers' slow
/// T5Tokenizer). Throws Error{Input} when the file cannot be read or names no eos or pad piece.
std::shared_ptr<const TextEncoder> openSentencePiece(const std::filesystem::path& file);

/// Returns how many pieces such a file holds, without making its model. Throws Error{Input} when it is cut
/// off.
std::int64_t countPieces(const std::filesystem::path& file);

}  // namespace meshreel
