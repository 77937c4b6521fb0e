// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/utf8.h"

#include <array>

namespace meshreel {
namespace {

/// Sequences by their first byte (Unicode, table 3-7, without the limits on the second byte).
struct Lead {
    unsigned char mask, bits;
    std::size_t length;
    char32_t least;  ///< smaller code points have a shorter form
};
constexpr std::array<Lead, 4> leads = {
    {{0x80, 0x00, 1, 0x01}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}}};
constexpr char32_t lastCodePoint = 0x10FFFF;
constexpr char32_t firstSurrogate = 0xD800;
constexpr char32_t lastSurrogate = 0xDFFF;

unsigned char byteAt(std::string_view text, std::size_t offset) {
    return static_cast<unsigned char>(text[offset]);
}

/// The sequence's length; 0 when it is ill-formed.
std::size_t decode(std::string_view text, std::size_t offset, char32_t& codePoint) {
    for (const Lead& lead : leads) {
        const unsigned char first = byteAt(text, offset);
        if ((first & lead.mask) != lead.bits)
            continue;
        if (offset + lead.length > text.size())
            return 0;
        codePoint = first & static_cast<unsigned char>(~lead.mask);
        for (std::size_t i = 1; i < lead.length; ++i) {
            const unsigned char next = byteAt(text, offset + i);
            if ((next & 0xC0U) != 0x80U)
                return 0;
            codePoint = (codePoint << 6U) | (next & 0x3FU);
        }
        const bool surrogate = codePoint >= firstSurrogate && codePoint <= lastSurrogate;
        return codePoint < lead.least || codePoint > lastCodePoint || surrogate ? 0 : lead.length;
    }
    return 0;
}

}  // namespace

std::optional<std::size_t> firstInvalidUtf8(std::string_view text) {
    char32_t codePoint = 0;
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = decode(text, offset, codePoint);
        if (length == 0)
            return offset;
        offset += length;
    }
    return std::nullopt;
}

char32_t codePointAt(std::string_view text, std::size_t offset, std::size_t& length) {
    char32_t codePoint = 0;
    length = decode(text, offset, codePoint);
    return codePoint;
}

}  // namespace meshreel
