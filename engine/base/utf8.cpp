// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/utf8.h"

#include <unicode/utf8.h>

#include <array>
#include <cstdint>

namespace meshreel {
namespace {

constexpr std::string_view replacementUtf8 = "\xEF\xBF\xBD";

}  // namespace

std::optional<char32_t> nextCodePoint(std::string_view text, std::size_t& position) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    UChar32 codePoint = U_SENTINEL;
    U8_NEXT(bytes, position, text.size(), codePoint);
    return codePoint < 0 ? std::nullopt : std::optional(static_cast<char32_t>(codePoint));
}

void appendUtf8(std::string& text, char32_t codePoint) {
    const bool valid = codePoint <= 0x10FFFF && !U_IS_SURROGATE(codePoint);
    std::array<char, U8_MAX_LENGTH> buffer{};
    std::size_t length = 0;
    U8_APPEND_UNSAFE(buffer, length, valid ? codePoint : replacementCharacter);
    text.append(buffer.data(), length);
}

std::optional<std::size_t> firstInvalidUtf8(std::string_view text) {
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        if (!nextCodePoint(text, position))
            return begin;
    }
    return std::nullopt;
}

std::string wellFormedUtf8(std::string_view text) {
    std::string result;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        const bool valid = nextCodePoint(text, position).has_value();
        result += valid ? text.substr(begin, position - begin) : replacementUtf8;
    }
    return result;
}

}  // namespace meshreel
