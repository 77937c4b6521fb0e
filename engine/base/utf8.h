// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace meshreel {

/// Stands where a character could not be read.
inline constexpr char32_t replacementCharacter = 0xFFFD;

/// The code point at `position`, which lies before the end; nothing where the bytes are not UTF-8 (RFC 3629).
/// Always moves `position` forward, so that a loop over any bytes ends.
std::optional<char32_t> nextCodePoint(std::string_view text, std::size_t& position);

/// Surrogates and numbers beyond U+10FFFF become U+FFFD.
void appendUtf8(std::string& text, char32_t codePoint);

/// Where the first byte lies that is not part of well-formed UTF-8.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

/// The text with U+FFFD in place of bytes that are not UTF-8.
std::string wellFormedUtf8(std::string_view text);

}  // namespace meshreel
