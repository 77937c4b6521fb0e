// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <array>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace meshreel {

/// What the engine says to a person: in English, and as the pattern and the parts it was made of, from which
/// a user interface says it in another language.
class Sentence {
  public:
    Sentence() = default;
    /// A text that is the same in every language: a name, a number, another program's words.
    Sentence(std::string same) : m_text(std::move(same)) {}
    Sentence(std::string_view same) : m_text(same) {}
    Sentence(const char* same) : m_text(same) {}
    /// `pattern` in fmt's syntax; one part for each of its fields, in their order.
    Sentence(std::string text, std::string_view pattern, std::vector<Sentence> parts)
        : m_text(std::move(text)), m_pattern(pattern), m_parts(std::move(parts)) {}

    /// Returns the English text.
    [[nodiscard]] const std::string& text() const noexcept { return m_text; }
    operator const std::string&() const noexcept { return m_text; }
    [[nodiscard]] bool empty() const noexcept { return m_text.empty(); }

    /// Empty when it is the same in every language.
    [[nodiscard]] const std::string& pattern() const noexcept { return m_pattern; }
    [[nodiscard]] const std::vector<Sentence>& parts() const noexcept { return m_parts; }

    friend bool operator==(const Sentence& one, const Sentence& other) { return one.m_text == other.m_text; }
    friend std::ostream& operator<<(std::ostream& out, const Sentence& sentence);

  private:
    std::string m_text;
    std::string m_pattern;
    std::vector<Sentence> m_parts;
};

/// Words of a table, which the translations list like a pattern without fields.
Sentence tableText(std::string_view words);

/// Returns the replacement fields of a pattern in fmt's syntax, in their order: "{}", "{:.1f}". Escaped
/// braces are none.
std::vector<std::string_view> replacementFields(std::string_view pattern);

/// `pattern` with its fields filled: "{}" and "{:…}" in the order of `parts`, "{2}" with the part of that
/// number counted from 0. A field without a part stays as it is, so that a mistaken translation cannot throw.
std::string fillPattern(std::string_view pattern, const std::vector<std::string>& parts);

}  // namespace meshreel

template <>
struct fmt::formatter<meshreel::Sentence> : fmt::formatter<std::string_view> {
    fmt::format_context::iterator format(const meshreel::Sentence& sentence,
                                         fmt::format_context& context) const;
};

namespace meshreel {

namespace detail {

/// `arguments` fill the fields in their order; where one is a sentence itself, its place in `sentences`
/// points to it and is null elsewhere. Not a template, as more than a thousand calls would each make one.
Sentence makeSentence(fmt::string_view pattern, fmt::format_args arguments,
                      std::span<const Sentence* const> sentences);

template <typename Part>
const Sentence* asSentence(const Part& part) {
    if constexpr (std::is_same_v<Part, Sentence>)
        return &part;
    else
        return nullptr;
}

}  // namespace detail

/// Like fmt::format(), kept so that it can be translated. Parts may be sentences themselves. The pattern is a
/// literal, which the translations are listed from, and numbers none of its fields.
template <typename... Parts>
Sentence sentence(fmt::format_string<const Parts&...> pattern, const Parts&... parts) {
    const std::array<const Sentence*, sizeof...(Parts)> sentences{detail::asSentence(parts)...};
    return detail::makeSentence(pattern, fmt::make_format_args(parts...), sentences);
}

/// "one, two, three"; empty for none.
Sentence commaList(const std::vector<Sentence>& items);

}  // namespace meshreel
