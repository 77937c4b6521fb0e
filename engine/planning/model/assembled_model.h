// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/project/project.h"

namespace meshreel {

/// The folder of the project's model in diffusers layout. A model of single files, or one of whose parts the
/// project replaces, is put together in userCacheFolder()/models: links to the files, and the small JSON
/// files that they come without. Throws Error{Input} as findModel(), askedParts() and completeParts().
std::filesystem::path modelFolderOf(const Project& project);

}  // namespace meshreel
