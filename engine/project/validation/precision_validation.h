// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// Number types, each legal by itself, that do not go together.
std::vector<ProjectProblem> precisionProblems(const Project& project);

}  // namespace meshreel
