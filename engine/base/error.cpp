// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/error.h"

#include <utility>

namespace meshreel {
namespace {

std::string asText(const std::string& where, const std::string& message, const std::string& hint) {
    std::string text = where.empty() ? message : where + ": " + message;
    const auto close = [&text] {
        if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!')
            text += '.';
    };
    close();
    if (!hint.empty()) {
        text += ' ';
        text += hint;
        close();
    }
    return text;
}

}  // namespace

Error::Error(ErrorKind kind, Sentence message, std::string where, Sentence hint)
    : m_kind(kind),
      m_message(std::move(message)),
      m_where(std::move(where)),
      m_hint(std::move(hint)),
      m_text(asText(m_where, m_message, m_hint)) {}

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
