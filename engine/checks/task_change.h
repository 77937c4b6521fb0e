// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns the keys of the inputs that the task needs and the project does not give, in the order of the
/// task's row. A clip that the project continues gives the picture that a task begins with.
std::vector<std::string_view> missingInputs(const Project& project, WanTask task);

/// Returns the changes that make the project one of the task: its name, and the defaults of what other tasks
/// read and this one does not. Sound stays, which belongs to no task.
KeyChanges changesToTask(const Project& project, WanTask task);

/// Returns the keys of what belongs to a project's model, and not to another one: its parts, adapters, and
/// the preset last, which changes the defaults of others.
std::span<const std::string_view> keysOfAModel();

/// Returns the changes that let the project take another model, as a project spells it: parts, adapters and
/// the preset belong to the model before.
KeyChanges changesToModel(const Project& project, std::string_view model);

}  // namespace meshreel
