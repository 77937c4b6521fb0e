// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/mojibake.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/text/mojibake_tables.h"
#include "engine/text/single_byte_encodings.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view replacementUtf8 = "\xEF\xBF\xBD";

bool isC1(char32_t c) {
    return c >= 0x80 && c <= 0x9F;
}

/// "Ã la" is "à la" whose no-break space was merged with the space behind it, unless a Portuguese contraction
/// ("àquele", "às") follows.
std::string restoreGraveWords(std::string_view bytes) {
    constexpr std::array notWords = {" "sv, "quele"sv, "quela"sv, "quilo"sv, "s "sv};
    std::string result;
    for (std::size_t position = 0; position < bytes.size();) {
        const std::string_view rest = bytes.substr(position);
        const bool word = rest.starts_with("\xC3 ") &&
                          std::none_of(notWords.begin(), notWords.end(), [rest](std::string_view follower) {
                              return rest.substr(2).starts_with(follower);
                          });
        result += word ? "\xC3\xA0 "sv : rest.substr(0, 1);
        position += word ? 2 : 1;
    }
    return result;
}

std::string restoreByteA0(std::string_view bytes) {
    const std::string words = restoreGraveWords(bytes);
    return utf8WithSpaces().replace(std::string_view(words), [](std::string_view match) {
        std::string restored(match);
        std::replace(restored.begin(), restored.end(), ' ', '\xA0');
        return restored;
    });
}

/// The text whose UTF-8, decoded as `encoding`, gave `bytes`.
std::optional<std::u32string> decodeAgain(const SingleByteEncoding& encoding, std::string bytes) {
    // In MacRoman a dash before a space looks the same.
    if (encoding.name != "macroman" &&
        utf8WithSpaces().find(std::string_view(bytes)) != std::string_view::npos)
        bytes = restoreByteA0(bytes);
    if (encoding.sloppy)
        bytes =
            lossyUtf8().replace(std::string_view(bytes), [](std::string_view) { return replacementUtf8; });
    const bool variants = bytes.find_first_of("\xED\xC0") != std::string::npos;
    return variants ? fromUtf8Variants(bytes) : fromStrictUtf8(bytes);
}

/// Length of a run of characters at `position` that look like UTF-8; 0 for none, or directly behind a
/// character that looks like part of one.
std::size_t lookAlikeRun(std::u32string_view text, std::size_t position) {
    if (position > 0 && strictContinuations().contains(static_cast<UChar32>(text[position - 1])))
        return 0;
    std::size_t end = position;
    while (const std::size_t length = utf8LookAlikes().lengthAt(text, end))
        end += length;
    return end - position;
}

/// Repairs the runs that are mojibake by themselves, in text that no one encoding explains.
std::u32string decodeInconsistentUtf8(std::u32string_view text) {
    std::u32string result;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t length = lookAlikeRun(text, position);
        const std::u32string_view run = text.substr(position, std::max<std::size_t>(length, 1));
        // A run as long as the text was tried before: going on would not end.
        if (length > 0 && length < text.size() && isBad(run))
            result += fixEncoding(std::u32string(run));
        else
            result += run;
        position += run.size();
    }
    return result;
}

/// Windows-1252 without the sloppiness: nothing when a byte has no character there.
std::optional<std::u32string> latin1AsWindows1252(std::u32string_view text) {
    std::u32string result;
    for (const char32_t c : text) {
        const std::optional<unsigned char> byte = latin1().encode(c);
        if (!byte)
            return {};
        const char32_t decoded = *byte < 0x80 ? *byte : windows1252().decode(*byte);
        if (isC1(decoded))
            return {};
        result += decoded;
    }
    return result;
}

std::u32string fixOneLayer(const std::u32string& text) {
    const bool ascii = std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; });
    if (ascii || !isBad(text))
        return text;
    for (const SingleByteEncoding& encoding : singleByteEncodings())
        if (std::optional<std::string> bytes = encoding.encode(text))
            if (std::optional<std::u32string> fixed = decodeAgain(encoding, std::move(*bytes)))
                return *fixed;
    if (std::u32string fixed = decodeInconsistentUtf8(text); fixed != text)
        return fixed;
    if (std::optional<std::u32string> fixed = latin1AsWindows1252(text); fixed && *fixed != text)
        return *fixed;
    return fixC1Controls(text);
}

}  // namespace

bool isBad(std::u32string_view text) {
    const bool startsBad = text.size() > 1 && (text[0] == U'Ã' || text[0] == U'Â') && text[1] == U' ';
    return startsBad || badSequences().find(text) != std::u32string_view::npos;
}

std::u32string fixEncoding(std::u32string text) {
    while (true) {
        std::u32string fixed = fixOneLayer(text);
        if (fixed == text)
            return text;
        text = std::move(fixed);
    }
}

std::u32string fixC1Controls(std::u32string_view text) {
    std::u32string result(text);
    for (char32_t& c : result)
        if (isC1(c))
            c = windows1252().decode(static_cast<unsigned char>(c));
    return result;
}

}  // namespace meshreel
