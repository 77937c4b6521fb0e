// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/error.h"

#include <string_view>
#include <utility>

namespace meshreel {
namespace {

Sentence closed(const Sentence& words) {
    constexpr std::string_view ends = ".?!";
    const std::string& text = words.text();
    return text.empty() || ends.find(text.back()) != std::string_view::npos ? words : sentence("{}.", words);
}

Sentence joined(const std::string& where, const Sentence& message, const Sentence& hint) {
    const Sentence first = closed(where.empty() ? message : sentence("{}: {}", where, message));
    return hint.empty() ? first : sentence("{} {}", first, closed(hint));
}

}  // namespace

Error::Error(ErrorKind kind, Sentence message, std::string where, Sentence hint)
    : m_kind(kind),
      m_message(std::move(message)),
      m_where(std::move(where)),
      m_hint(std::move(hint)),
      m_text(joined(m_where, m_message, m_hint).text()) {}

Sentence Error::asSentence() const {
    return joined(m_where, m_message, m_hint);
}

int exitCode(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Internal:
            return 1;
        case ErrorKind::Project:
            return 2;
        case ErrorKind::Input:
            return 3;
        case ErrorKind::Resources:
            return 4;
        case ErrorKind::Device:
            return 5;
        case ErrorKind::Mismatch:
            return 6;
        case ErrorKind::Cancelled:
            return 130;
    }
    return 1;
}

}  // namespace meshreel
