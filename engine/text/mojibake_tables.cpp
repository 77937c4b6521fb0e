// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/mojibake_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "engine/base/error.h"
#include "engine/text/single_byte_encodings.h"

namespace meshreel {
namespace {

using namespace std::string_view_literals;

struct NamedClass {
    std::string_view name;
    std::string_view members;  // inside of a UnicodeSet pattern
};

// The some 400 characters that occur in mojibake of UTF-8, by the role they play in real text.
constexpr std::array characterClasses = {
    NamedClass{"common", R"(\u00A0\u00AD·´–—―…’)"},
    NamedClass{"c1", R"(\u0080-\u009F)"},
    NamedClass{"bad", R"(¦¤¨¬¯¸ƒˆˇ˘˛˜†‡‰⌐◊\uFFFDªº)"},
    NamedClass{"law", "¶§"},
    NamedClass{"currency", "¢£¥₧€"},
    NamedClass{"start_punctuation", R"(¡«¿©΄΅‘‚“„•‹\uF8FF)"},
    NamedClass{"end_punctuation", "®»˝”›™"},
    NamedClass{"numeric", R"(²³¹±¼½¾×µ÷\u2044∂∆∏∑√∞∩∫≈≠≡≤≥№)"},
    NamedClass{"kaomoji", "Ò-ÖÙ-Üò-öø-üŐŌŪŲ°"},
    NamedClass{"upper_accented", "À-ÑØÜÝĂĀĄĆČĎĐĘĚĒĖĞĢİĪĶĹĽŁĻŃŇŅŒŘŚŞŠŢŤŮŰŸŹŻŽҐ"},
    NamedClass{"lower_accented", R"(ßà-ñăąāćčďđęěēėğģįīķĺľłļœŕśşšťüźżžґ\uFB01\uFB02)"},
    NamedClass{"upper_common", "ÞΑ-ΩΆΈΉΊΌΎΏΪΫЁ-Я"},
    NamedClass{"lower_common", "α-ωάέήίΰа-џ"},
    NamedClass{"box", "│┌┐┘├┤┬┼═-╬▀▄█▌▐░▒▓"},
    NamedClass{"white",
               R"(\u0009-\u000D\u001C-\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000)"},
    NamedClass{"word", "[:L:][:N:]_"},
};

constexpr std::array badRows = {
    "[{c1}]"sv,
    "[{bad}{lower_accented}{upper_accented}{box}{start_punctuation}{end_punctuation}{currency}{numeric}{law}] [{bad}]"sv,
    "[a-zA-Z] [{lower_common}{upper_common}] [{bad}]"sv,
    "[{bad}] [{lower_accented}{upper_accented}{box}{start_punctuation}{end_punctuation}{currency}{numeric}{law}]"sv,
    "[{lower_accented}{lower_common}{box}{end_punctuation}{currency}{numeric}] [{upper_accented}]"sv,
    "[{box}{end_punctuation}{currency}{numeric}] [{lower_accented}]"sv,
    "[{lower_accented}{box}{end_punctuation}] [{currency}]"sv,
    "[{white}] [{upper_accented}] [{currency}]"sv,
    "[{upper_accented}{box}] [{numeric}{law}]"sv,
    "[{lower_accented}{upper_accented}{box}{currency}{end_punctuation}] [{start_punctuation}] [{numeric}]"sv,
    "[{lower_accented}{upper_accented}{currency}{numeric}{box}{law}] [{end_punctuation}] [{start_punctuation}]"sv,
    "[{currency}{numeric}{box}] [{start_punctuation}]"sv,
    "[a-z] [{upper_accented}] [{start_punctuation}{currency}]"sv,
    "[{box}] [{kaomoji}]"sv,
    "[{lower_accented}{upper_accented}{currency}{numeric}{start_punctuation}{end_punctuation}{law}] [{box}]"sv,
    "[{box}] [{end_punctuation}]"sv,
    "[{lower_accented}{upper_accented}] [{start_punctuation}{end_punctuation}] [{word}]"sv,
    // the ligature œ before anything but a plain Latin letter; degrees behind capitals
    "[Œœ] [^A-Za-z]"sv,
    "[{upper_accented}] [°]"sv,
    // Windows-1252
    R"([ÂÃÎÐ] [€œŠš¢£Ÿž\u00A0\u00AD®©°·»{start_punctuation}{end_punctuation}–—´])"sv,
    "[×] [²³]"sv,
    "[ØÙ] [{common}{currency}{bad}{numeric}{start_punctuation}ŸŠ®°µ»] [ØÙ] "
    "[{common}{currency}{bad}{numeric}{start_punctuation}ŸŠ®°µ»]"sv,
    "[à] [²µ¹¼½¾]"sv,
    // MacRoman
    "[√] [±∂†≠®™´≤≥¥µø]"sv,
    "[≈] [°¢]"sv,
    "[‚] [Ä] [ìîïòôúùû†°¢π]"sv,
    "[‚] [âó] [àä°ê]"sv,
    // Windows-1251
    "[в] [Ђ]"sv,
    "[ВГРС] [{c1}{bad}{start_punctuation}{end_punctuation}{currency}°µ] [ВГРС]"sv,
    R"([Г] [ў] [В] [Ђ] [В] [^\u000A] [A-Za-z\u0020])"sv,
    // Windows-1252 of à, á and the no-break space; Â before the character it encodes
    R"([Ã] [\u00A0¡])"sv,
    R"([a-z] [{white}] [ÃÂ] [\u0020])"sv,
    R"([a-z] [ÃÂ] [\u0020])"sv,
    R"([a-z.,?!{end_punctuation}] [Â] [\u0020{start_punctuation}{end_punctuation}])"sv,
    // Windows-1253
    R"([β] [€] [™\u00A0Ά\u00AD®°])"sv,
    "[ΒΓΞΟ] [{c1}{bad}{start_punctuation}{end_punctuation}{currency}°] [ΒΓΞΟ]"sv,
    // Windows-1257
    "[ā] [€]"sv,
};

// Only lead bytes whose two-byte characters are likely before a space; E0 and E1 not before an immediate one;
// F0 is the lead byte of almost all characters of four bytes.
constexpr std::array spacedUtf8Rows = {
    R"([\xC2\xC3\xC5\xCE\xD0\xD9] [\x20])"sv,
    R"([\xE2\xE3] [\x20] [\x80-\x84\x86-\x9F\xA1-\xBF])"sv,
    R"([\xE0-\xE3] [\x80-\x84\x86-\x9F\xA1-\xBF] [\x20])"sv,
    R"([\xF0] [\x20] [\x80-\xBF] [\x80-\xBF])"sv,
    R"([\xF0] [\x80-\xBF] [\x20] [\x80-\xBF])"sv,
    R"([\xF0] [\x80-\xBF] [\x80-\xBF] [\x20])"sv,
};

// '?' at most once in a sequence; the rows with ED are surrogate pairs (CESU-8).
constexpr std::array lossyUtf8Rows = {
    R"([\xC2-\xDF] [\x1A])"sv,
    R"([\xC2-\xC3] [?])"sv,
    R"([\xED] [\xA0-\xAF] [\x1A?] [\xED] [\xB0-\xBF] [\x1A?\x80-\xBF])"sv,
    R"([\xED] [\xA0-\xAF] [\x1A?\x80-\xBF] [\xED] [\xB0-\xBF] [\x1A?])"sv,
    R"([\xE0-\xEF] [\x1A?] [\x1A\x80-\xBF])"sv,
    R"([\xE0-\xEF] [\x1A\x80-\xBF] [\x1A?])"sv,
    R"([\xF0-\xF4] [\x1A?] [\x1A\x80-\xBF] [\x1A\x80-\xBF])"sv,
    R"([\xF0-\xF4] [\x1A\x80-\xBF] [\x1A?] [\x1A\x80-\xBF])"sv,
    R"([\xF0-\xF4] [\x1A\x80-\xBF] [\x1A\x80-\xBF] [\x1A?])"sv,
    R"([\x1A])"sv,
};

/// "[{c1}{bad}]" with the members of the classes in place of their names.
std::string expandClasses(std::string_view row) {
    std::string pattern(row);
    for (const NamedClass& named : characterClasses) {
        const std::string reference = "{" + std::string(named.name) + "}";
        for (std::size_t at = pattern.find(reference); at != std::string::npos; at = pattern.find(reference))
            pattern.replace(at, reference.size(), named.members);
    }
    return pattern;
}

CharacterPatterns compile(std::span<const std::string_view> rows) {
    std::vector<std::string> patterns;
    std::transform(rows.begin(), rows.end(), std::back_inserter(patterns), expandClasses);
    return CharacterPatterns(patterns);
}

/// A UnicodeSet pattern of what the bytes stand for in Latin-1 and the Windows encodings modelled on it.
std::string charactersOfBytes(std::initializer_list<std::pair<unsigned, unsigned>> byteRanges,
                              std::string_view others = {}, std::u32string_view without = {}) {
    std::string members(others);
    for (const SingleByteEncoding& encoding : singleByteEncodings()) {
        if (!encoding.sloppy && &encoding != &latin1())
            continue;
        for (const auto& [first, last] : byteRanges)
            for (unsigned byte = first; byte <= last; ++byte) {
                const char32_t character = encoding.decode(static_cast<unsigned char>(byte));
                if (without.find(character) == std::u32string_view::npos)
                    members += fmt::format("\\u{:04X}", static_cast<std::uint32_t>(character));
            }
    }
    return "[" + members + "]";
}

}  // namespace

const CharacterPatterns& badSequences() {
    static const CharacterPatterns patterns = compile(badRows);
    return patterns;
}

const CharacterPatterns& utf8LookAlikes() {
    static const CharacterPatterns patterns = [] {
        const std::string next = charactersOfBytes({{0x80, 0xBF}}, R"(\u0020)");
        return CharacterPatterns(std::array{
            charactersOfBytes({{0xC2, 0xDF}}) + " " + next,
            charactersOfBytes({{0xE0, 0xEF}}) + " " + next + " " + next,
            charactersOfBytes({{0xF0, 0xF0}, {0xF3, 0xF3}}) + " " + next + " " + next + " " + next,
        });
    }();
    return patterns;
}

const icu::UnicodeSet& strictContinuations() {
    static const icu::UnicodeSet set = [] {
        constexpr std::u32string_view plainPunctuation = U"–—―‘’‚“”„•…";
        UErrorCode status = U_ZERO_ERROR;
        icu::UnicodeSet result(
            icu::UnicodeString::fromUTF8(charactersOfBytes({{0x80, 0xBF}}, {}, plainPunctuation)), status);
        if (U_FAILURE(status))
            throw Error(ErrorKind::Internal, "the set of continuation characters is malformed");
        result.freeze();
        return result;
    }();
    return set;
}

const CharacterPatterns& utf8WithSpaces() {
    static const CharacterPatterns patterns = compile(spacedUtf8Rows);
    return patterns;
}

const CharacterPatterns& lossyUtf8() {
    static const CharacterPatterns patterns = compile(lossyUtf8Rows);
    return patterns;
}

}  // namespace meshreel
