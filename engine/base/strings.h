// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// Levenshtein distance in bytes.
std::size_t editDistance(std::string_view a, std::string_view b);

/// Returns the candidate nearest to `name` for a "did you mean"; empty when nothing is near (more than a
/// third differs).
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);

/// 1536 -> "1.5 KiB"; binary units, one decimal.
std::string formatBytes(std::size_t bytes);

/// Replaces a character that could not be read.
inline constexpr char32_t replacementCharacter = 0xFFFD;

/// Returns the code point at `position`, which is before the end; nothing when the bytes are not UTF-8 (RFC
/// 3629). Always moves `position` forward, so that a loop over any bytes ends.
std::optional<char32_t> nextCodePoint(std::string_view text, std::size_t& position);

/// Returns where the character begins that the byte at `position` is part of; the end for a position after
/// it.
std::size_t characterBegin(std::string_view text, std::size_t position);

/// Surrogates and numbers beyond U+10FFFF become U+FFFD.
void appendUtf8(std::string& text, char32_t codePoint);

/// Returns the position of the first byte that is not part of well-formed UTF-8.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

/// Returns the text with U+FFFD in place of bytes that are not UTF-8.
std::string wellFormedUtf8(std::string_view text);

/// Returns the beginning of a file's text, for a message: at most `bytes` of it, with a '?' for each byte
/// that is not printable ASCII. Texts of damaged files are not always UTF-8, which fmt's widths and
/// precisions assume.
std::string excerpt(std::string_view text, std::size_t bytes = 80);

/// RFC 4648 base64 with padding.
std::string encodeBase64(std::string_view bytes);

/// Returns what encodeBase64() was given. Nothing when `text` is malformed.
std::optional<std::string> decodeBase64(std::string_view text);

/// Returns the text as a terminal or a window may show it, whoever wrote it: "\x1b", "\u202e" and the like
/// replace controls, invisible marks that change the writing direction or end a line, and bytes that are not
/// UTF-8. Newlines and tabs stay.
std::string visibleText(std::string_view text);

/// A regular expression in the syntax of ECMAScript. std::regex takes seconds to compile in each source that
/// uses it; here it does once.
class RegularExpression {
  public:
    /// The whole match, then what each group matched: an empty text for one that took no part.
    using Groups = std::vector<std::string>;
    enum class Author {
        Meshreel,
        Stranger  ///< searched without backtracking, so that no pattern takes for ever; for match() only
    };

    /// Throws std::invalid_argument for an invalid regular expression.
    explicit RegularExpression(const std::string& pattern, Author author = Author::Meshreel);

    /// Returns nothing unless all of `text` matches.
    [[nodiscard]] std::optional<Groups> match(const std::string& text) const;
    /// Returns the first place in `text` that it matches.
    [[nodiscard]] std::optional<Groups> search(const std::string& text) const;

  private:
    struct Compiled;
    std::shared_ptr<const Compiled> m_compiled;
};

}  // namespace meshreel
