// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/mojibake.h"

#include <fmt/format.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

icu::UnicodeSet parseSet(const std::string& pattern) {
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeSet set(icu::UnicodeString::fromUTF8(pattern), status);
    if (U_FAILURE(status))
        throw Error(ErrorKind::Internal, "the character class " + pattern + " is malformed");
    set.freeze();
    return set;
}

/// Alternatives of fixed length, each a sequence of character classes, tried in their order: the part of
/// regular expressions that mojibake detection needs. Works on code points and, through std::string_view, on
/// bytes.
class CharacterPatterns {
  public:
    /// A row is a sequence of ICU UnicodeSet patterns separated by single spaces: "[a-z] [\\u0020]".
    /// A malformed row is a defect: Error{Internal}.
    explicit CharacterPatterns(std::span<const std::string> rows);

    /// Length of the first alternative that matches at `position`; 0 for none.
    template <typename Char>
    [[nodiscard]] std::size_t lengthAt(std::basic_string_view<Char> text, std::size_t position) const;

    /// Where the first match begins; npos for none.
    template <typename Char>
    [[nodiscard]] std::size_t find(std::basic_string_view<Char> text) const;

    /// Every match replaced by `replacement(match)`.
    template <typename Char, typename Replacement>
    [[nodiscard]] std::basic_string<Char> replace(std::basic_string_view<Char> text,
                                                  Replacement&& replacement) const;

  private:
    std::vector<std::vector<icu::UnicodeSet>> m_alternatives;
};

CharacterPatterns::CharacterPatterns(std::span<const std::string> rows) {
    for (const std::string& row : rows) {
        std::vector<icu::UnicodeSet>& sets = m_alternatives.emplace_back();
        for (std::size_t begin = 0; begin < row.size();) {
            const std::size_t end = std::min(row.find(' ', begin), row.size());
            sets.push_back(parseSet(row.substr(begin, end - begin)));
            begin = end + 1;
        }
    }
}

template <typename Char>
std::size_t CharacterPatterns::lengthAt(std::basic_string_view<Char> text, std::size_t position) const {
    using Unsigned = std::conditional_t<sizeof(Char) == 1, unsigned char, char32_t>;
    for (const std::vector<icu::UnicodeSet>& sets : m_alternatives) {
        if (sets.size() > text.size() - position)
            continue;
        std::size_t matched = 0;
        while (matched < sets.size() &&
               sets[matched].contains(static_cast<UChar32>(static_cast<Unsigned>(text[position + matched]))))
            ++matched;
        if (matched == sets.size())
            return matched;
    }
    return 0;
}

template <typename Char>
std::size_t CharacterPatterns::find(std::basic_string_view<Char> text) const {
    for (std::size_t position = 0; position < text.size(); ++position)
        if (lengthAt(text, position) > 0)
            return position;
    return std::basic_string_view<Char>::npos;
}

template <typename Char, typename Replacement>
std::basic_string<Char> CharacterPatterns::replace(std::basic_string_view<Char> text,
                                                   Replacement&& replacement) const {
    std::basic_string<Char> result;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t length = lengthAt(text, position);
        if (length == 0) {
            result += text[position++];
        } else {
            result += replacement(text.substr(position, length));
            position += length;
        }
    }
    return result;
}

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

/// Character sequences that hardly occur in text decoded rightly: ftfy 6.3's "badness" heuristic, but for the
/// one pattern that is tied to the beginning of the text (see isBad).
const CharacterPatterns& badSequences() {
    static const CharacterPatterns patterns = compile(badRows);
    return patterns;
}

/// What two, three or four bytes of UTF-8 look like after decoding as some Latin-1-like encoding.
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

/// Characters that do not stand for themselves beside mojibake; look-alikes are not cut out from behind one.
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

/// UTF-8 bytes in which a space took the place of byte A0.
const CharacterPatterns& utf8WithSpaces() {
    static const CharacterPatterns patterns = compile(spacedUtf8Rows);
    return patterns;
}

/// UTF-8 bytes in which some were lost, 1A or '?' standing for them.
const CharacterPatterns& lossyUtf8() {
    static const CharacterPatterns patterns = compile(lossyUtf8Rows);
    return patterns;
}

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

/// Returns the length of a run of characters at `position` that look like UTF-8; 0 for none, or directly
/// after a character that looks like part of one.
std::size_t lookAlikeRun(std::u32string_view text, std::size_t position) {
    if (position > 0 && strictContinuations().contains(static_cast<UChar32>(text[position - 1])))
        return 0;
    std::size_t end = position;
    while (const std::size_t length = utf8LookAlikes().lengthAt(text, end))
        end += length;
    return end - position;
}

/// Whether the text seems to hold mojibake (ftfy's is_bad).
bool isBad(std::u32string_view text) {
    const bool startsBad = text.size() > 1 && (text[0] == U'Ã' || text[0] == U'Â') && text[1] == U' ';
    return startsBad || badSequences().find(text) != std::u32string_view::npos;
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
