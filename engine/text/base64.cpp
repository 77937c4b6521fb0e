// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/base64.h"

#include <cstdint>

namespace meshreel {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t groupLength = 4;
constexpr int bitsPerCharacter = 6;

}  // namespace

std::string encodeBase64(std::string_view bytes) {
    constexpr std::size_t groupBytes = 3;
    std::string text;
    text.reserve((bytes.size() + groupBytes - 1) / groupBytes * groupLength);
    std::uint32_t bits = 0;
    int count = 0;
    const auto append = [&text](std::uint32_t value) { text += alphabet[value & (alphabet.size() - 1)]; };
    for (const char byte : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
        for (count += 8; count >= bitsPerCharacter; count -= bitsPerCharacter)
            append(bits >> (count - bitsPerCharacter));
    }
    if (count > 0)
        append(bits << (bitsPerCharacter - count));
    text.append((groupLength - text.size() % groupLength) % groupLength, '=');
    return text;
}

std::optional<std::string> decodeBase64(std::string_view text) {
    if (text.size() % groupLength != 0)
        return {};
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char character : text) {
        const std::size_t value = alphabet.find(character);
        if (value == std::string_view::npos)
            return {};
        bits = bits << bitsPerCharacter | static_cast<std::uint32_t>(value);
        count += bitsPerCharacter;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return bytes;
}

}  // namespace meshreel
