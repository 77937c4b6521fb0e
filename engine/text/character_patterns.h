// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unicode/uniset.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace meshreel {

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

}  // namespace meshreel
