// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_error.h"

#include <algorithm>
#include <utility>

namespace meshreel {
namespace {

/// The first error, with the number of the others in its words.
Problem sumOf(const std::vector<Problem>& problems) {
    const auto first = std::ranges::find(problems, Severity::Error, &Problem::severity);
    Problem sum = first == problems.end() ? problems.front() : *first;
    const auto others = std::ranges::count(problems, Severity::Error, &Problem::severity) - 1;
    if (others > 0)
        sum.message = sentence("{} (and {} more)", sum.message, others);
    return sum;
}

}  // namespace

ProjectError::ProjectError(std::vector<Problem> problems)
    : Error(ErrorKind::Project, sumOf(problems)), m_problems(std::move(problems)) {}

}  // namespace meshreel
