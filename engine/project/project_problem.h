// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

enum class Severity { Warning, Error };

/// A key of a project and the text that it is to have.
struct KeyChange {
    std::string key;
    std::string value;

    friend bool operator==(const KeyChange&, const KeyChange&) = default;
};

/// Keys that have to change at once.
using KeyChanges = std::vector<KeyChange>;

/// Something wrong or worth knowing about a project, with the cure.
struct ProjectProblem {
    Severity severity = Severity::Error;
    std::string file = {};  ///< empty when the project did not come from a file
    int line = 0;           ///< counted from 1; 0 when there is none
    std::string key = {};   ///< empty when it concerns no single key
    Sentence message = {};
    Sentence hint = {};
    std::vector<KeyChanges> cures = {};  ///< each ends it; none where the words have to do

    /// "demo.yaml:3"; the key's name for a project that did not come from a file.
    [[nodiscard]] std::string where() const;
    /// "demo.yaml:3: message. Hint." on one line.
    [[nodiscard]] Sentence asSentence() const;
    /// The same in English.
    [[nodiscard]] std::string text() const;
};

/// Error{Project} carrying every problem found; what() is the first error, "(and N more)" added.
class ProjectError : public Error {
  public:
    /// At least one problem must be an error.
    explicit ProjectError(std::vector<ProjectProblem> problems);

    [[nodiscard]] const std::vector<ProjectProblem>& problems() const noexcept { return m_problems; }

  private:
    std::vector<ProjectProblem> m_problems;
};

/// True when one of them is an error.
bool hasErrors(const std::vector<ProjectProblem>& problems);

/// Errors before warnings, otherwise in the order they have.
void putErrorsFirst(std::vector<ProjectProblem>& problems);

}  // namespace meshreel
