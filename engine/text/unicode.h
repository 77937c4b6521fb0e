// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace meshreel {

/// Code points of UTF-8; each invalid byte sequence becomes one or more U+FFFD.
std::u32string fromUtf8(std::string_view utf8);

/// Surrogates and numbers beyond U+10FFFF become U+FFFD.
std::string toUtf8(std::u32string_view text);

/// Strict UTF-8, and besides it two variants met in the wild: C0 80 for U+0000 (Java) and pairs of encoded
/// surrogates (CESU-8). Nothing when the bytes are neither.
std::optional<std::u32string> fromUtf8Variants(std::string_view bytes);

/// Strict UTF-8. Nothing when the bytes are invalid.
std::optional<std::u32string> fromStrictUtf8(std::string_view bytes);

/// Returns the bytes of the first character of a text that is not empty.
std::size_t characterLength(std::string_view utf8);

/// White space as Python's str.isspace and the \s of its regular expressions define it.
bool isPythonSpace(char32_t character);

/// General category Nd, as the \d of Python's regular expressions.
bool isDecimalDigit(char32_t character);

enum class NormalizationForm { Nfc, Nfd, Nfkc, Nfkd };
std::u32string normalize(std::u32string_view text, NormalizationForm form);

/// Full upper-case mapping without a locale: "ß" gives "SS".
std::u32string toUpper(std::u32string_view text);

/// An encoding that mojibake comes from; bytes below 80 are ASCII.
struct SingleByteEncoding {
    std::string_view name;
    /// Bytes without a character represent themselves as in Latin-1, and byte 1A represents U+FFFD.
    bool sloppy;
    std::u32string_view upperHalf;  ///< characters of the bytes 80 to FF

    [[nodiscard]] char32_t decode(unsigned char byte) const;
    [[nodiscard]] std::optional<unsigned char> encode(char32_t character) const;

    /// Returns nothing when some character has no byte.
    [[nodiscard]] std::optional<std::string> encode(std::u32string_view text) const;
};

/// Returns them in the order in which ftfy tries them.
std::span<const SingleByteEncoding> singleByteEncodings();

const SingleByteEncoding& latin1();
const SingleByteEncoding& windows1252();

}  // namespace meshreel
