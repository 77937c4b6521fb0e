// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/mesh/mesh_resolution.h"
#include "engine/project/project_keys.h"

namespace meshreel {

inline constexpr std::int64_t frameStep = 4;  ///< pixel frames to a latent frame after the first

/// Of an axis, or of devices that share something; -1: what is left over.
inline constexpr IntegerRange meshRange{.minimum = 1, .maximum = maxMeshDevices, .automatic = -1};

/// The keys of a section, or of a part of one, each in the file of its name, in the order in which they are
/// shown and written.
std::vector<ProjectKey> modelKeys();
std::vector<ProjectKey> taskKeys();
std::vector<ProjectKey> promptKeys();
std::vector<ProjectKey> frameKeys();
std::vector<ProjectKey> samplingKeys();
std::vector<ProjectKey> stepCacheKeys();
std::vector<ProjectKey> meshKeys();
std::vector<ProjectKey> attentionKeys();
std::vector<ProjectKey> vaeKeys();
std::vector<ProjectKey> precisionKeys();
std::vector<ProjectKey> outputKeys();

}  // namespace meshreel
