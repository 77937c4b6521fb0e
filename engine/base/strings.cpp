// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/strings.h"

#include <fmt/format.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace meshreel {
namespace {

// base64: groups of four characters for three bytes.
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t groupLength = 4;
constexpr int bitsPerCharacter = 6;

}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substitution = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substitution, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t bestDistance = std::max<std::size_t>(name.size() / 3, 1) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = editDistance(name, candidate);
        if (distance < bestDistance) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string formatBytes(std::size_t bytes) {
    static constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::optional<char32_t> nextCodePoint(std::string_view text, std::size_t& position) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    UChar32 codePoint = U_SENTINEL;
    U8_NEXT(bytes, position, text.size(), codePoint);
    return codePoint < 0 ? std::nullopt : std::optional(static_cast<char32_t>(codePoint));
}

std::size_t characterBegin(std::string_view text, std::size_t position) {
    if (position >= text.size())
        return text.size();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    constexpr std::size_t begin = 0;
    U8_SET_CP_START(bytes, begin, position);
    return position;
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
    constexpr std::string_view replacementUtf8 = "\xEF\xBF\xBD";
    std::string result;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        const bool valid = nextCodePoint(text, position).has_value();
        result += valid ? text.substr(begin, position - begin) : replacementUtf8;
    }
    return result;
}

std::string excerpt(std::string_view text, std::size_t bytes) {
    std::string printable(text.substr(0, bytes));
    std::ranges::replace_if(
        printable, [](char c) { return c < ' ' || c > '~'; }, '?');
    return printable;
}

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

namespace {

/// Acts on what shows the text in place of being shown: C0 and C1 controls, separators of lines, and marks of
/// direction, by which a name can be read as another.
bool isUnseen(char32_t point) {
    const auto lies = [point](char32_t first, char32_t last) { return point >= first && point <= last; };
    return (point < U' ' && point != U'\n' && point != U'\t') || lies(0x7F, 0x9F) || lies(0x2028, 0x202E) ||
           lies(0x2066, 0x2069);
}

}  // namespace

std::string visibleText(std::string_view text) {
    std::string visible;
    visible.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        const std::optional<char32_t> point = nextCodePoint(text, position);
        const std::string_view written = text.substr(begin, position - begin);
        if (point == U'\r' && text.substr(position).starts_with('\n'))
            continue;
        if (!point)
            for (const char byte : written)
                visible += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        else if (!isUnseen(*point))
            visible += written;
        else if (*point < 0x7F)  // above it as JSON has it, too
            visible += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(*point));
        else
            visible += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*point));
    }
    return visible;
}

struct RegularExpression::Compiled {
    std::regex expression;
};

namespace {

std::regex compile(const std::string& pattern, RegularExpression::Author author) {
    auto flags = std::regex::ECMAScript;
#ifdef __GLIBCXX__
    if (author == RegularExpression::Author::Stranger)
        flags |= std::regex_constants::__polynomial;
#endif
    try {
        return std::regex(pattern, flags);
    } catch (const std::regex_error& error) {
        throw std::invalid_argument(error.what());
    }
}

/// Also returns nothing when the library gives up for lack of time or memory.
template <typename Search>
std::optional<RegularExpression::Groups> groups(const Search& search) {
    std::smatch found;
    try {
        if (!search(found))
            return std::nullopt;
    } catch (const std::regex_error&) {
        return std::nullopt;
    }
    return RegularExpression::Groups(found.begin(), found.end());
}

}  // namespace

RegularExpression::RegularExpression(const std::string& pattern, Author author)
    : m_compiled(std::make_shared<const Compiled>(Compiled{compile(pattern, author)})) {}

std::optional<RegularExpression::Groups> RegularExpression::match(const std::string& text) const {
    return groups([&](std::smatch& found) { return std::regex_match(text, found, m_compiled->expression); });
}

std::optional<RegularExpression::Groups> RegularExpression::search(const std::string& text) const {
    return groups([&](std::smatch& found) { return std::regex_search(text, found, m_compiled->expression); });
}

}  // namespace meshreel
