// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/project/project_file.h"

namespace meshreel {

/// Whether a line begins with the name of a key or of a group of keys: a text that YAML cannot read may be a
/// project all the same.
bool namesAKey(const std::string& text);

/// A text that YAML cannot read with another value of one key: behind its name where a line begins with that,
/// else in a line at the end.
std::string withKeyLine(const std::string& text, const ProjectKey& key, const std::string& yaml);

}  // namespace meshreel
