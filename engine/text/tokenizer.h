// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace meshreel {

/// Text to piece ids of a UMT5 checkpoint, as diffusers' AutoTokenizer gives them.
class Tokenizer {
  public:
    /// `folder` is the checkpoint's tokenizer folder: tokenizer.json is used when there is one (the "fast"
    /// tokenizer), else spiece.model through SentencePiece. Throws Error{Input} when both are missing,
    /// damaged, or ask for a component that Meshreel does not know.
    static Tokenizer open(const std::filesystem::path& folder);

    struct Encoded {
        std::vector<std::int64_t> ids;   ///< [maxSequenceLength], the pad id behind the text
        std::vector<std::int64_t> mask;  ///< [maxSequenceLength], 1 over text and eos, 0 over padding
        std::int64_t length = 0;         ///< ids before the padding, eos included
        bool truncated = false;          ///< the text did not fit; the ids end with eos all the same
    };

    /// `cleaned` comes from cleanPrompt. maxSequenceLength is at least 1.
    [[nodiscard]] Encoded encode(std::string_view cleaned, std::int64_t maxSequenceLength) const;

    /// Neither truncated nor padded; eos at the end.
    [[nodiscard]] std::vector<std::int64_t> ids(std::string_view cleaned) const;

    /// Turns text into ids; one per file format.
    class Encoder {
      public:
        virtual ~Encoder() = default;

        /// Without eos.
        [[nodiscard]] virtual std::vector<std::int64_t> encode(std::string_view text) const = 0;
        [[nodiscard]] virtual std::int64_t eosId() const = 0;
        [[nodiscard]] virtual std::int64_t padId() const = 0;
    };

  private:
    explicit Tokenizer(std::shared_ptr<const Encoder> encoder) : m_encoder(std::move(encoder)) {}

    std::shared_ptr<const Encoder> m_encoder;
};

}  // namespace meshreel
