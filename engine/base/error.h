// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <string>

#include "engine/base/problem.h"
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

/// The engine's exception: a problem that ended the work, and who can mend it.
class Error : public std::exception {
  public:
    Error(ErrorKind kind, Problem problem);
    /// For a problem whose id no code asks for. `where` is a "file:line", tensor name or path, `hint` what to
    /// do. Both may be empty.
    Error(ErrorKind kind, Sentence message, std::string where = {}, Sentence hint = {});
    Error(const Error&) = default;
    Error(Error&&) = default;
    Error& operator=(const Error&) = default;
    Error& operator=(Error&&) = default;
    ~Error() override;  // out of line, so that only one source instantiates it

    [[nodiscard]] ErrorKind kind() const noexcept { return m_kind; }
    [[nodiscard]] const Problem& problem() const noexcept { return m_problem; }
    [[nodiscard]] const Sentence& message() const noexcept { return m_problem.message; }
    [[nodiscard]] std::string where() const { return m_problem.where(); }
    [[nodiscard]] Sentence hint() const { return m_problem.hint(); }

    /// "where: message. Hint." on one line, in English.
    [[nodiscard]] const char* what() const noexcept override { return m_text.c_str(); }

    /// what(), kept so that it can be translated.
    [[nodiscard]] Sentence asSentence() const { return m_problem.asSentence(); }

  private:
    ErrorKind m_kind;
    Problem m_problem;
    std::string m_text;
};

/// Returns what the exception being handled says; to be called from a catch block.
Problem currentProblem();

/// Process exit code of a kind: 1 internal, 2 project, 3 input, 4 resources, 5 device, 6 mismatch, 130
/// cancelled.
int exitCode(ErrorKind kind);

}  // namespace meshreel
