// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/written_text.h"

#include <fmt/format.h>
#include <unicode/unorm2.h>
#include <unicode/utypes.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <system_error>

#include "engine/base/strings.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Characters from `first` to `last` are written from `plain` on, one after the other, or all as `plain`.
struct PlainRange {
    char32_t first;
    char32_t last;
    char32_t plain;
    bool isRow = false;
};

constexpr std::array plainRanges{
    PlainRange{0x00A0, 0x00A0, U' '},        // no-break space
    PlainRange{0x00AD, 0x00AD, 0},           // soft hyphen
    PlainRange{0x0660, 0x0669, U'0', true},  // Arabic-Indic digits
    PlainRange{0x066A, 0x066A, U'%'},        // Arabic percent sign
    PlainRange{0x06F0, 0x06F9, U'0', true},  // Persian and Urdu digits
    PlainRange{0x0966, 0x096F, U'0', true},  // Devanagari digits
    PlainRange{0x09E6, 0x09EF, U'0', true},  // Bengali digits
    PlainRange{0x0E50, 0x0E59, U'0', true},  // Thai digits
    PlainRange{0x2000, 0x200A, U' '},        // spaces of a width
    PlainRange{0x200B, 0x200B, 0},           // zero-width space
    PlainRange{0x200E, 0x200F, 0},           // direction marks
    PlainRange{0x2010, 0x2015, U'-'},        // hyphens and dashes
    PlainRange{0x2018, 0x201B, U'\''},       // typographic quotes
    PlainRange{0x201C, 0x201F, U'"'},        //
    PlainRange{0x202F, 0x202F, U' '},        // narrow no-break space
    PlainRange{0x205F, 0x205F, U' '},        // mathematical space
    PlainRange{0x2060, 0x2060, 0},           // word joiner
    PlainRange{0x2212, 0x2212, U'-'},        // minus
    PlainRange{0x3000, 0x3000, U' '},        // ideographic space
    PlainRange{0x3010, 0x3010, U'['},        // lenticular brackets, the usual ones of Chinese keyboards
    PlainRange{0x3011, 0x3011, U']'},        //
    PlainRange{0xFE6A, 0xFE6A, U'%'},        // small percent sign
    PlainRange{0xFEFF, 0xFEFF, 0},           // byte order mark
    PlainRange{0xFF01, 0xFF5E, U'!', true},  // full-width forms of ASCII
};

std::optional<std::u16string> composed(const std::string& utf8) {
    if (firstInvalidUtf8(utf8))
        return std::nullopt;
    std::u16string wide;
    for (std::size_t at = 0; at < utf8.size();) {
        const char32_t character = nextCodePoint(utf8, at).value_or(replacementCharacter);
        if (character > 0xFFFF) {
            wide += static_cast<char16_t>(0xD7C0 + (character >> 10));
            wide += static_cast<char16_t>(0xDC00 + (character & 0x3FF));
        } else {
            wide += static_cast<char16_t>(character);
        }
    }
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* const form = unorm2_getNFCInstance(&status);
    constexpr std::size_t mostGrowth = 3;  // of NFC, in UTF-16 (UAX 15)
    std::u16string result(wide.size() * mostGrowth + 1, u'\0');
    const std::int32_t length =
        unorm2_normalize(form, wide.data(), static_cast<std::int32_t>(wide.size()), result.data(),
                         static_cast<std::int32_t>(result.size()), &status);
    if (U_FAILURE(status))
        return std::nullopt;
    result.resize(static_cast<std::size_t>(length));
    return result;
}

/// The one entry of a folder that is called so but for its normal form.
std::optional<fs::path> twinIn(const fs::path& folder, const std::string& name) {
    const bool isAscii =
        std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const std::optional<std::u16string> wanted = isAscii ? std::nullopt : composed(name);
    if (!wanted)
        return std::nullopt;
    std::optional<fs::path> twin;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure); entry != fs::directory_iterator();
         entry.increment(failure)) {
        if (composed(entry->path().filename().string()) != wanted)
            continue;
        if (twin)
            return std::nullopt;
        twin = entry->path().filename();
    }
    return twin;
}

}  // namespace

std::string_view withoutByteOrderMark(std::string_view text) {
    if (text.starts_with(byteOrderMark))
        text.remove_prefix(byteOrderMark.size());
    return text;
}

std::vector<std::string_view> textLines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + (text.substr(end).starts_with("\r\n") ? 2 : 1), text.size()));
    }
    return lines;
}

std::size_t countLineEnds(std::string_view text) {
    std::size_t ends = 0;
    for (std::size_t at = 0; at < text.size(); ++at)
        ends += text[at] == '\n' || (text[at] == '\r' && !text.substr(at + 1).starts_with('\n')) ? 1 : 0;
    return ends;
}

char32_t plainForm(char32_t character) {
    for (const PlainRange& range : plainRanges)
        if (range.first <= character && character <= range.last)
            return range.isRow ? range.plain + (character - range.first) : range.plain;
    return character;
}

PlainText placedPlainText(std::string_view utf8) {
    PlainText plain;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::size_t begin = at;
        const std::optional<char32_t> character = nextCodePoint(utf8, at);
        if (!character)
            plain.text.append(utf8.substr(begin, at - begin));
        else if (const char32_t form = plainForm(*character); form != 0)
            appendUtf8(plain.text, form);
        plain.origin.resize(plain.text.size(), begin);
    }
    plain.origin.push_back(utf8.size());
    return plain;
}

std::string plainText(std::string_view utf8) {
    return placedPlainText(utf8).text;
}

std::string shownText(std::string_view utf8) {
    std::string shown;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::size_t begin = at;
        const std::optional<char32_t> character = nextCodePoint(utf8, at);
        const char32_t plain = character ? plainForm(*character) : U'?';
        if (character && (plain == 0 || (plain == U' ' && *character != U' ')))
            shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*character));
        else
            shown += utf8.substr(begin, at - begin);
    }
    return shown;
}

fs::path twinOf(const fs::path& path) {
    std::error_code failure;
    if (path.empty() || fs::exists(path, failure) || failure == std::errc::permission_denied)
        return path;
    fs::path found;
    for (const fs::path& part : path) {
        const fs::path next = found / part;
        if (fs::exists(next, failure)) {
            found = next;
            continue;
        }
        const std::optional<fs::path> twin = twinIn(found.empty() ? fs::path(".") : found, part.string());
        if (!twin)
            return path;
        found /= *twin;
    }
    return found;
}

}  // namespace meshreel
