// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <variant>

#include "engine/base/utf8.h"
#include "engine/project/decimal.h"
#include "engine/project/yaml_tree.h"

namespace meshreel {
namespace {

/// Texts that YAML 1.1 or 1.2 readers take for something else when they stand bare.
constexpr std::array<std::string_view, 10> reservedWords = {"~",  "null", "true", "false", "yes",
                                                            "no", "on",   "off",  "y",     "n"};

bool isReserved(const std::string& text) {
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(reservedWords, lower) != reservedWords.end();
}

/// C0 and C1 controls, line and paragraph separators, and the byte-order mark.
bool needsEscape(char32_t codePoint) {
    return codePoint < 0x20 || (codePoint >= 0x7F && codePoint < 0xA0) || codePoint == 0x2028 ||
           codePoint == 0x2029 || codePoint == 0xFEFF;
}

bool anyNeedsEscape(const std::string& text) {
    for (std::size_t position = 0; position < text.size();) {
        const std::optional<char32_t> codePoint = nextCodePoint(text, position);
        if (!codePoint || needsEscape(*codePoint))
            return true;
    }
    return false;
}

bool canStandBare(const std::string& text) {
    if (text.empty() || isReserved(text) || anyNeedsEscape(text))
        return false;
    const auto first = static_cast<unsigned char>(text.front());
    const bool safeStart = std::isalpha(first) != 0 || first >= 0x80 || first == '/' || first == '(';
    const bool startsPath = text.starts_with("~/");
    const bool endsBadly = text.back() == ' ' || text.back() == ':';
    const bool hasIndicator = text.find(": ") != std::string::npos || text.find(" #") != std::string::npos;
    return (safeStart || startsPath) && !endsBadly && !hasIndicator;
}

/// The character at `position`, which is moved behind it.
std::string takeEscaped(const std::string& text, std::size_t& position) {
    const std::size_t begin = position;
    const std::optional<char32_t> codePoint = nextCodePoint(text, position);
    switch (codePoint.value_or(replacementCharacter)) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        case '\r':
            return "\\r";
        default:
            break;
    }
    if (!codePoint || needsEscape(*codePoint))
        return fmt::format("\\u{:04x}", static_cast<unsigned>(codePoint.value_or(replacementCharacter)));
    return text.substr(begin, position - begin);
}

}  // namespace

std::string yamlScalar(const std::string& text) {
    return canStandBare(text) ? text : yamlQuoted(text);
}

std::string yamlQuoted(const std::string& text) {
    std::string result = "\"";
    for (std::size_t position = 0; position < text.size();)
        result += takeEscaped(text, position);
    return result + "\"";
}

}  // namespace meshreel
