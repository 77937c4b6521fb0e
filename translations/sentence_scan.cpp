// SPDX-License-Identifier: GPL-3.0-or-later
#include "sentence_scan.h"

#include <algorithm>

namespace meshreel {
namespace {

constexpr std::string_view rawBegin = "R\"(";
constexpr std::string_view rawEnd = ")\"";

bool isWordPart(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') ||
           sign == '_';
}

void skipSpace(std::string_view& text) {
    const std::size_t begin = text.find_first_not_of(" \n\r\t");
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
}

/// Takes the string literal that `text` begins with; backslashes stand before quotes and backslashes only.
std::string takeLiteral(std::string_view& text) {
    std::string literal;
    std::size_t at = 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\')
            ++at;
        literal += text[at];
    }
    text.remove_prefix(at + 1);
    return literal;
}

/// The same of a raw one without a delimiter of its own.
std::string takeRawLiteral(std::string_view& text) {
    const std::size_t end = std::min(text.find(rawEnd), text.size());
    std::string literal(text.substr(rawBegin.size(), end - rawBegin.size()));
    text.remove_prefix(std::min(end + rawEnd.size(), text.size()));
    return literal;
}

}  // namespace

std::vector<std::string> sentencePatterns(std::string_view source) {
    constexpr std::string_view call = "sentence(";
    std::vector<std::string> patterns;
    for (std::size_t at = source.find(call); at != std::string_view::npos; at = source.find(call, at + 1)) {
        if (at > 0 && isWordPart(source[at - 1]))
            continue;
        std::string_view rest = source.substr(at + call.size());
        std::string pattern;
        for (skipSpace(rest); rest.starts_with('"') || rest.starts_with(rawBegin); skipSpace(rest))
            pattern += rest.starts_with('"') ? takeLiteral(rest) : takeRawLiteral(rest);
        if (!pattern.empty())
            patterns.push_back(std::move(pattern));
    }
    return patterns;
}

}  // namespace meshreel
