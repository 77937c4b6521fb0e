// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "engine/catalogue/model_library.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns the files that the project's keys `parts.…` name, and a transformer's file that replaces a model's
/// name. Names without a path are looked up in the models folders. Throws Error{Input} for missing ones.
PartSources askedParts(const Project& project);

/// Returns the text of the key `parts.PART`; null when it is empty.
const std::string* askedFile(const Project& project, std::string_view part);

/// Returns whether the project names no model's folder, so that all parts are found one by one.
bool isMadeOfFiles(const Project& project);

/// Returns the project with the paths of its parts and adapters in full, so that it means the same from any
/// folder. Throws as askedParts() and findAdapter().
Project withFullPaths(Project project);

/// Empties the keys of the parts.
void forgetParts(Project& project);

}  // namespace meshreel
