// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "engine/project/project.h"

namespace meshreel {

/// The text of a project file made to say `project`: lines of unchanged values stay byte for byte, changed
/// values are replaced in place with their comments kept, new keys are inserted in section order. Nothing
/// when the text is empty, has problems, or is not laid out a key a line.
std::optional<std::string> mergeIntoText(const Project& project, const std::string& previousText);

}  // namespace meshreel
