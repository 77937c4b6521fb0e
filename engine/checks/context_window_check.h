// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns why what the project makes on this model cannot be made through its context windows. Windows that
/// hold the whole clip are no windows.
std::vector<Problem> contextWindowProblems(const Project& project, const ModelFacts& model);

}  // namespace meshreel
