// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/prompt_cleaning.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/text/mojibake.h"
#include "engine/text/unicode.h"

namespace meshreel {

namespace {

struct Entity {
    std::string_view name;
    char32_t first;
    char32_t second;  // 0: none
};

constexpr auto entities = std::to_array<Entity>({
#include "engine/text/data/html5_entities.inc"
});

constexpr std::size_t longestName = 32;             // in html.unescape's regular expression, ';' not counted
constexpr std::size_t longestUnambiguousName = 24;  // in ftfy's
constexpr char32_t lastCodePoint = 0x10FFFF;

bool isDigit(char32_t c) {
    return c >= U'0' && c <= U'9';
}
bool isAsciiLetter(char32_t c) {
    return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
}
bool isHexDigit(char32_t c) {
    return isDigit(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}
bool isNameCharacter(char32_t c) {
    return std::u32string_view(U"\t\n\f <&#;").find(c) == std::u32string_view::npos;
}

template <typename Predicate>
std::size_t countWhile(std::u32string_view text, std::size_t begin, std::size_t most, Predicate predicate) {
    std::size_t count = 0;
    while (count < most && begin + count < text.size() && predicate(text[begin + count]))
        ++count;
    return count;
}

std::optional<std::u32string> findEntity(std::u32string_view name) {
    if (std::any_of(name.begin(), name.end(), [](char32_t c) { return c > 0x7F; }))
        return {};
    const std::string key(name.begin(), name.end());
    const auto* found =
        std::lower_bound(entities.begin(), entities.end(), key,
                         [](const Entity& entity, const std::string& b) { return entity.name < b; });
    if (found == entities.end() || found->name != key)
        return {};
    return found->second == 0 ? std::u32string{found->first} : std::u32string{found->first, found->second};
}

bool isNonCharacter(char32_t c) {
    const bool control =
        (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || (c >= 0x7F && c <= 0x9F);
    return control || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

/// What a numeric reference stands for, by the rules of HTML5 for wrong numbers.
std::u32string numericReference(char32_t number) {
    if (number == 0 || number > lastCodePoint || (number >= 0xD800 && number <= 0xDFFF))
        return {replacementCharacter};
    if (number >= 0x80 && number <= 0x9F)
        return {windows1252().decode(static_cast<unsigned char>(number))};
    return isNonCharacter(number) ? std::u32string() : std::u32string{number};
}

char32_t parseNumber(std::u32string_view digits, unsigned base) {
    char32_t number = 0;
    for (const char32_t c : digits) {
        const char32_t digit = isDigit(c) ? c - U'0' : (c | 0x20) - U'a' + 10;
        number = std::min<char32_t>(number * base + digit, lastCodePoint + 1);
    }
    return number;
}

struct Reference {
    std::size_t length = 0;  // in the source, '&' included; 0: this is not a reference
    std::u32string text;
};

/// "&#123;" or "&#x7b;" at `begin`, the semicolon optional.
Reference numericAt(std::u32string_view text, std::size_t begin) {
    const bool hex = begin + 2 < text.size() && (text[begin + 2] == U'x' || text[begin + 2] == U'X');
    const std::size_t digits = begin + (hex ? 3 : 2);
    const std::size_t count = countWhile(text, digits, text.size(), hex ? isHexDigit : isDigit);
    if (count == 0)
        return {};
    const std::size_t end = digits + count;
    const bool closed = end < text.size() && text[end] == U';';
    return {end + (closed ? 1 : 0) - begin,
            numericReference(parseNumber(text.substr(digits, count), hex ? 16 : 10))};
}

Reference namedAt(std::u32string_view text, std::size_t begin) {
    std::size_t length = countWhile(text, begin + 1, longestName, isNameCharacter);
    if (length == 0)
        return {};
    if (begin + 1 + length < text.size() && text[begin + 1 + length] == U';')
        ++length;
    const std::u32string_view name = text.substr(begin + 1, length);
    for (std::size_t known = length; known > 1 || known == length; --known)
        if (const auto entity = findEntity(name.substr(0, known)))
            return {length + 1, *entity + std::u32string(name.substr(known))};
    return {length + 1, U"&" + std::u32string(name)};
}

Reference referenceAt(std::u32string_view text, std::size_t begin) {
    return begin + 1 < text.size() && text[begin + 1] == U'#' ? numericAt(text, begin) : namedAt(text, begin);
}

/// "NTILDE;" for "ntilde;", where HTML itself knows no beginning of the capitals.
std::optional<std::u32string> findCapitalEntity(std::u32string_view name) {
    std::u32string lower(name);
    for (char32_t& c : lower) {
        if (c >= U'a' && c <= U'z')
            return {};
        c = isAsciiLetter(c) ? c | 0x20 : c;
    }
    const auto entity = findEntity(lower);
    const std::u32string reference = U"&" + std::u32string(name);
    if (!entity || unescapeHtml(reference) != reference)
        return {};
    return toUpper(*entity);
}

Reference unambiguousAt(std::u32string_view text, std::size_t begin) {
    const bool numeric = begin + 1 < text.size() && text[begin + 1] == U'#';
    const std::size_t nameBegin = begin + (numeric ? 2 : 1);
    const std::size_t count = countWhile(text, nameBegin, longestUnambiguousName,
                                         [](char32_t c) { return isDigit(c) || isAsciiLetter(c); });
    const std::size_t end = nameBegin + count;
    if (count == 0 || end >= text.size() || text[end] != U';')
        return {};
    const std::u32string_view source = text.substr(begin, end + 1 - begin);
    if (numeric) {
        std::u32string unescaped = unescapeHtml(source);
        const bool whole = unescaped.find(U';') == std::u32string::npos;
        return {source.size(), whole ? unescaped : std::u32string(source)};
    }
    if (const auto entity = findEntity(source.substr(1)))
        return {source.size(), *entity};
    return {source.size(), findCapitalEntity(source.substr(1)).value_or(std::u32string(source))};
}

template <typename ReferenceAt>
std::u32string replaceReferences(std::u32string_view text, ReferenceAt find) {
    std::u32string result;
    for (std::size_t position = 0; position < text.size();) {
        const Reference reference = text[position] == U'&' ? find(text, position) : Reference();
        if (reference.length == 0) {
            result += text[position++];
        } else {
            result += reference.text;
            position += reference.length;
        }
    }
    return result;
}

}  // namespace

std::u32string unescapeHtml(std::u32string_view text) {
    return replaceReferences(text, referenceAt);
}

std::u32string unescapeUnambiguousHtml(std::u32string_view text) {
    return replaceReferences(text, unambiguousAt);
}

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

/// Returns the place after the "ANSI" escape (ESC [ digits and semicolons, letter) at `begin`; `begin` when
/// there is none.
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
