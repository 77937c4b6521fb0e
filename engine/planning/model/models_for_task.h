// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/models/families/model_family.h"

namespace meshreel {

/// Names of the installed models that do the task, in the order of installedModels(). Reads their
/// configurations; those that cannot be used are left out.
std::vector<std::string> installedModelsFor(WanTask task);

}  // namespace meshreel
