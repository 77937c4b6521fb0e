// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// An encoding that mojibake comes from; bytes below 80 are ASCII.
struct SingleByteEncoding {
    std::string_view name;
    /// Bytes without a character stand for themselves as in Latin-1, and byte 1A stands for U+FFFD.
    bool sloppy;
    std::u32string_view upperHalf;  ///< characters of the bytes 80 to FF

    [[nodiscard]] char32_t decode(unsigned char byte) const;
    [[nodiscard]] std::optional<unsigned char> encode(char32_t character) const;

    /// Nothing when some character has no byte.
    [[nodiscard]] std::optional<std::string> encode(std::u32string_view text) const;
};

/// In the order in which ftfy tries them.
std::span<const SingleByteEncoding> singleByteEncodings();

const SingleByteEncoding& latin1();
const SingleByteEncoding& windows1252();

}  // namespace meshreel
