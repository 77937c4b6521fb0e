// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/project/project.h"

namespace meshreel {

/// Returns the folder of the project's model in diffusers layout. A model of single files, or one with parts
/// that the project replaces, is assembled in userCacheFolder()/models: links to the files, and the small
/// JSON files that they lack. Throws Error{Input} as findModel(), askedParts() and completeParts() do.
std::filesystem::path prepareModelFolder(const Project& project);

}  // namespace meshreel
