// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/error.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns what is wrong with the pictures beside Fun Control's video: references that its model does not
/// take, or a first image with no frame behind it. Nothing for other tasks.
std::vector<Problem> controlPictureProblems(const Project& project, const ModelFacts& model);

}  // namespace meshreel
