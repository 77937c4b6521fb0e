// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace meshreel {
namespace {

bool isError(const ProjectProblem& problem) {
    return problem.severity == Severity::Error;
}

const ProjectProblem& firstError(const std::vector<ProjectProblem>& problems) {
    const auto found = std::find_if(problems.begin(), problems.end(), isError);
    return found == problems.end() ? problems.front() : *found;
}

Sentence firstMessage(const std::vector<ProjectProblem>& problems) {
    const Sentence& message = firstError(problems).message;
    const auto others = std::count_if(problems.begin(), problems.end(), isError) - 1;
    return others > 0 ? sentence("{} (and {} more)", message, others) : message;
}

}  // namespace

std::string ProjectProblem::where() const {
    if (file.empty())
        return key;
    return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

Sentence ProjectProblem::asSentence() const {
    return Error(ErrorKind::Project, message, where(), hint).asSentence();
}

std::string ProjectProblem::text() const {
    return asSentence().text();
}

ProjectError::ProjectError(std::vector<ProjectProblem> problems)
    : Error(ErrorKind::Project, firstMessage(problems), firstError(problems).where(),
            firstError(problems).hint),
      m_problems(std::move(problems)) {}

bool hasErrors(const std::vector<ProjectProblem>& problems) {
    return std::any_of(problems.begin(), problems.end(), isError);
}

void putErrorsFirst(std::vector<ProjectProblem>& problems) {
    std::stable_partition(problems.begin(), problems.end(), isError);
}

}  // namespace meshreel
