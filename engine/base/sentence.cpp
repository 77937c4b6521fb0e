// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/sentence.h"

#include <charconv>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

namespace meshreel {
namespace {

/// The length of the field or escaped brace that `text` begins with; 1 for anything else.
std::size_t lengthOfField(std::string_view text) {
    if (text.starts_with("{{") || text.starts_with("}}"))
        return 2;
    const std::size_t end = text.starts_with('{') ? text.find('}') : std::string_view::npos;
    return end == std::string_view::npos ? 1 : end + 1;
}

bool isField(std::string_view piece) {
    return piece.size() > 1 && piece.front() == '{' && piece.back() == '}';
}

/// The number of "{2}" or "{2:.1f}"; nothing when the field has none.
std::optional<std::size_t> numberOfField(std::string_view field) {
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(field.data() + 1, field.data() + field.size(), number);
    return fault == std::errc() ? std::optional(number) : std::nullopt;
}

template <typename Visit>
void forEachPiece(std::string_view pattern, const Visit& visit) {
    while (!pattern.empty()) {
        const std::size_t length = lengthOfField(pattern);
        visit(pattern.substr(0, length));
        pattern.remove_prefix(length);
    }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Sentence& sentence) {
    return out << sentence.text();
}

Sentence tableText(std::string_view words) {
    return {std::string(words), words, {}};
}

std::vector<std::string_view> replacementFields(std::string_view pattern) {
    std::vector<std::string_view> fields;
    forEachPiece(pattern, [&fields](std::string_view piece) {
        if (isField(piece))
            fields.push_back(piece);
    });
    return fields;
}

Sentence detail::makeSentence(fmt::string_view pattern, fmt::format_args arguments,
                              std::span<const Sentence* const> sentences) {
    const std::string_view words(pattern.data(), pattern.size());
    const std::vector<std::string_view> fields =
        sentences.empty() ? std::vector<std::string_view>() : replacementFields(words);
    std::vector<Sentence> parts;
    parts.reserve(sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        if (sentences[i] != nullptr) {
            parts.push_back(*sentences[i]);
            continue;
        }
        const fmt::format_args::format_arg argument = arguments.get(static_cast<int>(i));
        parts.emplace_back(fmt::vformat(fields[i], fmt::format_args(&argument, 1)));
    }
    return {fmt::vformat(pattern, arguments), words, std::move(parts)};
}

std::string fillPattern(std::string_view pattern, const std::vector<std::string>& parts) {
    std::string text;
    std::size_t next = 0;
    forEachPiece(pattern, [&](std::string_view piece) {
        if (piece == "{{" || piece == "}}") {
            text += piece.front();
            return;
        }
        if (!isField(piece)) {
            text += piece;
            return;
        }
        const std::size_t part = numberOfField(piece).value_or(next);
        ++next;
        text += part < parts.size() ? std::string_view(parts[part]) : piece;
    });
    return text;
}

Sentence commaList(const std::vector<Sentence>& items) {
    Sentence list;
    for (const Sentence& item : items)
        list = list.empty() ? item : sentence("{}, {}", list, item);
    return list;
}

}  // namespace meshreel

fmt::format_context::iterator fmt::formatter<meshreel::Sentence>::format(const meshreel::Sentence& sentence,
                                                                         fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(sentence.text(), context);
}
