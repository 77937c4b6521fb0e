// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/single_byte_encodings.h"

#include <array>

#include "engine/text/unicode.h"

namespace meshreel {
namespace {

constexpr auto encodings = std::to_array<SingleByteEncoding>({
#include "engine/text/data/single_byte_encodings.inc"
});

constexpr char32_t firstUpper = 0x80;
constexpr char32_t substitute = 0x1A;

}  // namespace

char32_t SingleByteEncoding::decode(unsigned char byte) const {
    if (sloppy && byte == substitute)
        return replacementCharacter;
    return byte < firstUpper ? byte : upperHalf[byte - firstUpper];
}

std::optional<unsigned char> SingleByteEncoding::encode(char32_t character) const {
    if (sloppy && character == replacementCharacter)
        return static_cast<unsigned char>(substitute);
    if (sloppy && character == substitute)
        return {};
    if (character < firstUpper)
        return static_cast<unsigned char>(character);
    const std::size_t index = upperHalf.find(character);
    if (index == std::u32string_view::npos)
        return {};
    return static_cast<unsigned char>(index + firstUpper);
}

std::optional<std::string> SingleByteEncoding::encode(std::u32string_view text) const {
    std::string bytes;
    for (const char32_t character : text) {
        const std::optional<unsigned char> byte = encode(character);
        if (!byte)
            return {};
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

std::span<const SingleByteEncoding> singleByteEncodings() {
    return encodings;
}

const SingleByteEncoding& latin1() {
    return encodings[0];
}

const SingleByteEncoding& windows1252() {
    return encodings[1];
}

}  // namespace meshreel
