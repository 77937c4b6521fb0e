// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/added_tokens.h"

#include <unicode/uchar.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/text/unicode.h"

namespace meshreel {
namespace {

bool isWhiteSpace(char32_t c) {
    return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0;
}

/// The \w of Unicode regular expressions (UTS 18).
bool isWordCharacter(char32_t c) {
    const auto character = static_cast<UChar32>(c);
    const auto mask = U_GET_GC_MASK(character);
    return u_isUAlphabetic(character) != 0 || (mask & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
           u_hasBinaryProperty(character, UCHAR_JOIN_CONTROL) != 0;
}

bool touchesWord(std::string_view before, std::string_view behind) {
    const std::u32string left = fromUtf8(before);
    const std::u32string right = fromUtf8(behind);
    return (!left.empty() && isWordCharacter(left.back())) ||
           (!right.empty() && isWordCharacter(right.front()));
}

/// Bytes of white space at the end (or the beginning) of the text.
std::size_t trailingSpace(std::string_view utf8) {
    const std::u32string text = fromUtf8(utf8);
    const auto last = std::find_if_not(text.rbegin(), text.rend(), isWhiteSpace).base();
    return toUtf8(std::u32string(last, text.end())).size();
}

std::size_t leadingSpace(std::string_view utf8) {
    const std::u32string text = fromUtf8(utf8);
    const auto first = std::find_if_not(text.begin(), text.end(), isWhiteSpace);
    return toUtf8(std::u32string(text.begin(), first)).size();
}

}  // namespace

std::vector<AddedToken> readAddedTokens(const nlohmann::json& list) {
    std::vector<AddedToken> tokens;
    for (const nlohmann::json& entry : list)
        tokens.push_back({entry.at("content").get<std::string>(), entry.at("id").get<std::int64_t>(),
                          entry.value("single_word", false), entry.value("lstrip", false),
                          entry.value("rstrip", false), entry.value("normalized", true)});
    return tokens;
}

AddedTokenSplitter::AddedTokenSplitter(std::vector<AddedToken> tokens) : m_tokens(std::move(tokens)) {
    std::erase_if(m_tokens, [](const AddedToken& token) { return token.content.empty(); });
    std::stable_sort(m_tokens.begin(), m_tokens.end(), [](const AddedToken& a, const AddedToken& b) {
        return a.content.size() > b.content.size();
    });
}

std::vector<AddedTokenSplitter::Part> AddedTokenSplitter::split(std::string_view text) const {
    std::vector<Part> parts;
    std::size_t covered = 0;
    for (std::size_t position = 0; position < text.size();) {
        const auto token = std::find_if(m_tokens.begin(), m_tokens.end(), [&](const AddedToken& candidate) {
            return text.substr(position).starts_with(candidate.content);
        });
        if (token == m_tokens.end()) {
            ++position;
            continue;
        }
        std::size_t begin = position;
        std::size_t end = position + token->content.size();
        position = end;
        if (token->singleWord && touchesWord(text.substr(0, begin), text.substr(end)))
            continue;
        if (token->stripLeft)
            begin = std::max(begin - trailingSpace(text.substr(0, begin)), covered);
        if (token->stripRight)
            end += leadingSpace(text.substr(end));
        if (covered < begin)
            parts.push_back({text.substr(covered, begin - covered), covered, {}});
        parts.push_back({text.substr(begin, end - begin), begin, token->id});
        covered = end;
        position = std::max(position, end);
    }
    if (covered < text.size())
        parts.push_back({text.substr(covered), covered, {}});
    return parts;
}

}  // namespace meshreel
