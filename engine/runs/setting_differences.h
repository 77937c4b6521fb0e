// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

struct ProjectKey;

/// The keys whose values, as a project file spells them, are not the same in all projects.
std::vector<const ProjectKey*> differingKeys(std::span<const Project> projects);

}  // namespace meshreel
