// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/project/project.h"
#include "engine/runs/run_folder.h"

namespace meshreel {

/// Copies the files that the project names into the run folder's `inputs`, so that the run can be continued
/// and repeated whatever becomes of them; of a folder its frames. Returns the project that names the copies.
/// Throws Error{Input} for a file that is missing or cannot be copied, Error{Resources} for a full disk, and
/// leaves no copies then.
Project storeInputs(const RunFolder& folder, Project project);

/// A project as it stands in a file in the run's folder: the copies by their paths in it.
Project asStoredIn(const RunFolder& folder, Project project);

}  // namespace meshreel
