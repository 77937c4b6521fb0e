// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {

/// Warnings, at their keys, for transformers of two that are named as the one expert and are the other by
/// name or metadata, and for files whose name and metadata differ. None for files that cannot be read.
std::vector<Problem> expertContradictions(const Project& project);

}  // namespace meshreel
