// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/unicode.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <array>

#include "engine/base/error.h"

namespace meshreel {

namespace {

icu::UnicodeString toIcu(std::u32string_view text) {
    return icu::UnicodeString::fromUTF32(reinterpret_cast<const UChar32*>(text.data()),
                                         static_cast<std::int32_t>(text.size()));
}

std::u32string fromIcu(const icu::UnicodeString& text) {
    std::u32string result;
    for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
        result += static_cast<char32_t>(text.char32At(i));
    return result;
}

const icu::Normalizer2& normalizer(NormalizationForm form) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* found = nullptr;
    switch (form) {
        case NormalizationForm::Nfc:
            found = icu::Normalizer2::getNFCInstance(status);
            break;
        case NormalizationForm::Nfd:
            found = icu::Normalizer2::getNFDInstance(status);
            break;
        case NormalizationForm::Nfkc:
            found = icu::Normalizer2::getNFKCInstance(status);
            break;
        case NormalizationForm::Nfkd:
            found = icu::Normalizer2::getNFKDInstance(status);
            break;
    }
    if (found == nullptr || U_FAILURE(status))
        throw Error(ErrorKind::Internal, "ICU has no normalisation data", {}, "Reinstall libicu");
    return *found;
}

bool isContinuation(std::string_view bytes, std::size_t position, unsigned low, unsigned high) {
    const auto byte = static_cast<unsigned char>(bytes[position]);
    return byte >= low && byte <= high;
}

/// The character of a surrogate pair encoded in six bytes at `position`, if there is one.
std::optional<char32_t> cesuPair(std::string_view bytes, std::size_t position) {
    if (bytes.size() - position < 6 || bytes[position] != '\xED' || bytes[position + 3] != '\xED' ||
        !isContinuation(bytes, position + 1, 0xA0, 0xAF) ||
        !isContinuation(bytes, position + 2, 0x80, 0xBF) ||
        !isContinuation(bytes, position + 4, 0xB0, 0xBF) || !isContinuation(bytes, position + 5, 0x80, 0xBF))
        return {};
    const auto bits = [&](std::size_t offset, unsigned mask) {
        return static_cast<unsigned char>(bytes[position + offset]) & mask;
    };
    return 0x10000 + (bits(1, 0x0F) << 16) + (bits(2, 0x3F) << 10) + (bits(4, 0x0F) << 6) + bits(5, 0x3F);
}

}  // namespace

std::u32string fromUtf8(std::string_view utf8) {
    std::u32string text;
    for (std::size_t position = 0; position < utf8.size();) {
        text += nextCodePoint(utf8, position).value_or(replacementCharacter);
    }
    return text;
}

std::string toUtf8(std::u32string_view text) {
    std::string utf8;
    for (const char32_t character : text)
        appendUtf8(utf8, character);
    return utf8;
}

std::optional<std::u32string> fromStrictUtf8(std::string_view bytes) {
    std::u32string text;
    for (std::size_t position = 0; position < bytes.size();) {
        const std::optional<char32_t> character = nextCodePoint(bytes, position);
        if (!character)
            return {};
        text += *character;
    }
    return text;
}

std::optional<std::u32string> fromUtf8Variants(std::string_view bytes) {
    std::u32string text;
    for (std::size_t position = 0; position < bytes.size();) {
        if (bytes.substr(position, 2) == "\xC0\x80") {
            text += U'\0';
            position += 2;
        } else if (const std::optional<char32_t> pair = cesuPair(bytes, position)) {
            text += *pair;
            position += 6;
        } else {
            const std::optional<char32_t> character = nextCodePoint(bytes, position);
            if (!character)
                return {};
            text += *character;
        }
    }
    return text;
}

std::size_t characterLength(std::string_view utf8) {
    std::size_t length = 0;
    static_cast<void>(nextCodePoint(utf8, length));
    return length;
}

bool isPythonSpace(char32_t character) {
    return (character >= 0x09 && character <= 0x0D) || (character >= 0x1C && character <= 0x20) ||
           character == 0x85 || character == 0xA0 || character == 0x1680 ||
           (character >= 0x2000 && character <= 0x200A) || character == 0x2028 || character == 0x2029 ||
           character == 0x202F || character == 0x205F || character == 0x3000;
}

bool isDecimalDigit(char32_t character) {
    return u_isdigit(static_cast<UChar32>(character)) != 0;
}

std::u32string normalize(std::u32string_view text, NormalizationForm form) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::UnicodeString normalized = normalizer(form).normalize(toIcu(text), status);
    if (U_FAILURE(status))
        throw Error(ErrorKind::Resources, sentence("a text is too long to be normalised"), {},
                    sentence("Shorten it"));
    return fromIcu(normalized);
}

std::u32string toUpper(std::u32string_view text) {
    return fromIcu(toIcu(text).toUpper(icu::Locale::getRoot()));
}

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
