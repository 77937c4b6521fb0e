// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

/// "key=value" texts in the order in which they are set.
using ProjectChanges = std::vector<std::string>;

/// What makes the other project of this one; nothing where texts do not tell it exactly.
std::optional<ProjectChanges> projectChanges(const Project& from, const Project& to);

/// Throws ProjectError for a text that is no legal value of a key.
Project withChanges(Project project, const ProjectChanges& changes);

}  // namespace meshreel
