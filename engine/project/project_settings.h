// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/attention_settings.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/project/project.h"

namespace meshreel {

/// What the project's keys ask of the mesh, on `ranks` processes.
MeshRequest meshRequest(const Project& project, int ranks = 1);

/// The project's keys about attention; its mode must be in the table (Error{Project} otherwise). Block sizes
/// are as written.
AttentionSettings attentionSettings(const Project& project);

}  // namespace meshreel
