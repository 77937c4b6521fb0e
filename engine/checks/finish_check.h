// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns what keeps the video of a project from being finished as `interpolate` and `upscale` ask: weights
/// that nobody names, or that cannot be used, and formats that are not finished. Reads the directories of the
/// weights. Paths are absolute (withInputsIn()).
std::vector<Problem> finishProblems(const Project& project);

}  // namespace meshreel
