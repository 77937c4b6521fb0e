// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <string>

#include "engine/base/sentence.h"

namespace meshreel {

/// What went wrong, by who can mend it. Each kind has one exit code (see exitCode).
enum class ErrorKind {
    Internal,   ///< a defect of Meshreel
    Project,    ///< the project or the command line
    Input,      ///< something the project points to: checkpoint, image, run folder
    Resources,  ///< not enough memory or disk
    Device,     ///< a device or transport failed
    Mismatch,   ///< a verification found a difference
    Cancelled,  ///< the user stopped the work
};

/// The engine's exception: what was wrong, where, and what to do about it.
class Error : public std::exception {
  public:
    /// `where` is a "file:line", tensor name, YAML key or path; `hint` the cure. Both may be empty.
    Error(ErrorKind kind, Sentence message, std::string where = {}, Sentence hint = {});

    [[nodiscard]] ErrorKind kind() const noexcept { return m_kind; }
    [[nodiscard]] const Sentence& message() const noexcept { return m_message; }
    [[nodiscard]] const std::string& where() const noexcept { return m_where; }
    [[nodiscard]] const Sentence& hint() const noexcept { return m_hint; }

    /// "where: message. Hint." on one line, in English.
    [[nodiscard]] const char* what() const noexcept override { return m_text.c_str(); }

    /// what(), kept so that it can be translated.
    [[nodiscard]] Sentence asSentence() const;

  private:
    ErrorKind m_kind;
    Sentence m_message;
    std::string m_where;
    Sentence m_hint;
    std::string m_text;
};

/// Process exit code of a kind: 1 internal, 2 project, 3 input, 4 resources, 5 device, 6 mismatch, 130
/// cancelled.
int exitCode(ErrorKind kind);

}  // namespace meshreel
