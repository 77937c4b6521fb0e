// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/prompt_cleaning.h"

#include <algorithm>
#include <array>

#include "engine/text/html_entities.h"
#include "engine/text/mojibake.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

constexpr std::size_t longestSegment = 1'000'000;  // code points repaired at once

struct Expansion {
    char32_t character;
    std::u32string_view replacement;
};

constexpr auto latinLigatures = std::to_array<Expansion>({
    {U'Ĳ', U"IJ"},      {U'ĳ', U"ij"},      {U'ŉ', U"ʼn"},      {U'Ǆ', U"DŽ"},       {U'ǅ', U"Dž"},
    {U'ǆ', U"dž"},      {U'Ǉ', U"LJ"},      {U'ǈ', U"Lj"},      {U'ǉ', U"lj"},       {U'Ǌ', U"NJ"},
    {U'ǋ', U"Nj"},      {U'ǌ', U"nj"},      {U'Ǳ', U"DZ"},      {U'ǲ', U"Dz"},       {U'ǳ', U"dz"},
    {U'\uFB00', U"ff"}, {U'\uFB01', U"fi"}, {U'\uFB02', U"fl"}, {U'\uFB03', U"ffi"}, {U'\uFB04', U"ffl"},
    {U'\uFB05', U"ſt"}, {U'\uFB06', U"st"},
});

template <typename Mapping>
std::u32string mapCharacters(std::u32string_view text, Mapping mapping) {
    std::u32string result;
    for (const char32_t character : text)
        result += mapping(character);
    return result;
}

std::u32string splitLigature(char32_t character) {
    const auto* found =
        std::find_if(latinLigatures.begin(), latinLigatures.end(),
                     [character](const Expansion& row) { return row.character == character; });
    return found == latinLigatures.end() ? std::u32string{character} : std::u32string(found->replacement);
}

/// Half-width and full-width forms (and the ideographic space) in their usual width.
std::u32string usualWidth(char32_t character) {
    if (character == U'\u3000')
        return U" ";
    const bool form = character >= 0xFF01 && character < 0xFFF0;
    return form ? normalize(std::u32string_view(&character, 1), NormalizationForm::Nfkc)
                : std::u32string{character};
}

char32_t straightQuote(char32_t character) {
    if (character == U'\u02BC' || (character >= U'\u2018' && character <= U'\u201B'))
        return U'\'';
    return character >= U'\u201C' && character <= U'\u201F' ? U'"' : character;
}

std::u32string unixLineBreaks(std::u32string_view text) {
    std::u32string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char32_t c = text[i];
        const bool first = c == U'\r' && i + 1 < text.size() && text[i + 1] == U'\n';
        if (first)
            continue;
        const bool lineBreak = c == U'\r' || c == 0x2028 || c == 0x2029 || c == 0x85;
        result += lineBreak ? U'\n' : c;
    }
    return result;
}

/// Behind the "ANSI" escape (ESC [ digits and semicolons, letter) at `begin`; `begin` when there is none.
std::size_t endOfTerminalEscape(std::u32string_view text, std::size_t begin) {
    if (text[begin] != 0x1B || begin + 1 >= text.size() || text[begin + 1] != U'[')
        return begin;
    std::size_t end = begin + 2;
    while (end < text.size() && (text[end] == U';' || isDecimalDigit(text[end])))
        ++end;
    const bool letter = end < text.size() && ((text[end] >= U'a' && text[end] <= U'z') ||
                                              (text[end] >= U'A' && text[end] <= U'Z'));
    return letter ? end + 1 : begin;
}

std::u32string withoutTerminalEscapes(std::u32string_view text) {
    std::u32string result;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t end = endOfTerminalEscape(text, position);
        if (end == position)
            result += text[position++];
        else
            position = end;
    }
    return result;
}

bool isUnwantedControl(char32_t c) {
    return c <= 0x08 || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || (c >= 0x206A && c <= 0x206F) ||
           c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

std::u32string fixOnce(std::u32string text, bool unescape) {
    if (unescape)
        text = unescapeUnambiguousHtml(text);
    text = fixC1Controls(fixEncoding(std::move(text)));
    text = mapCharacters(text, splitLigature);
    text = mapCharacters(text, usualWidth);
    text = mapCharacters(text, straightQuote);
    text = withoutTerminalEscapes(unixLineBreaks(text));
    std::erase_if(text, isUnwantedControl);
    return normalize(text, NormalizationForm::Nfc);
}

std::u32string fixSegment(std::u32string_view segment, bool unescape) {
    std::u32string text(segment);
    while (true) {
        std::u32string fixed = fixOnce(text, unescape);
        if (fixed == text)
            return text;
        text = std::move(fixed);
    }
}

/// Runs of white space become one space; none is left at the ends.
std::u32string collapseSpaces(std::u32string_view text) {
    std::u32string result;
    bool pending = false;
    for (const char32_t character : text) {
        if (isPythonSpace(character)) {
            pending = !result.empty();
            continue;
        }
        if (pending)
            result += U' ';
        pending = false;
        result += character;
    }
    return result;
}

}  // namespace

std::u32string fixText(std::u32string_view text) {
    std::u32string result;
    bool unescape = true;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t lineEnd = std::min(text.find(U'\n', position), text.size() - 1) + 1;
        const std::size_t length = std::min(lineEnd - position, longestSegment);
        const std::u32string_view segment = text.substr(position, length);
        // HTML once seen, entities are left alone to the end of the text.
        unescape = unescape && segment.find(U'<') == std::u32string_view::npos;
        result += fixSegment(segment, unescape);
        position += length;
    }
    return result;
}

std::string cleanPrompt(std::string_view utf8) {
    const std::u32string fixed = fixText(fromUtf8(utf8));
    return toUtf8(collapseSpaces(unescapeHtml(unescapeHtml(fixed))));
}

}  // namespace meshreel
