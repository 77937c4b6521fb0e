// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "engine/project/decimal.h"
#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// "1, 0.5": decimal numbers separated by commas; none in an empty text.
std::variant<std::vector<double>, NumberProblem> parseNumbers(std::string_view text);

/// The noise levels that `sigmas` or `timesteps` name; none where neither is given.
std::vector<double> givenSigmas(const Project& project);

/// What is wrong with the keys that hold lists of numbers.
std::vector<ProjectProblem> numberListProblems(const Project& project);

}  // namespace meshreel
