// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/project/project_keys.h"

namespace meshreel {

/// The rows of the tables that hold what a key may be.
std::vector<Choice> attentionChoices();
std::vector<Choice> noiseChoices();
std::vector<Choice> formatChoices();
std::vector<Choice> presetChoices();
std::vector<Choice> schedulerChoices();
std::vector<Choice> taskChoices();
std::vector<Choice> dtypeChoices();
std::vector<Choice> weightsDtypeChoices();

}  // namespace meshreel
