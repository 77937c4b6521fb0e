// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "engine/base/problem.h"
#include "engine/mesh/mesh_layout.h"

namespace meshreel {

/// What is asked of a mesh before it is resolved. An extent of -1 takes the devices that are left.
struct MeshRequest {
    MeshShape ici = {.context = -1};
    MeshShape dcn = {.context = -1};
    int devices = 0;  ///< in all; 0: as many as there are ranks, or as the axes ask for
    int ranks = 1;    ///< processes that share out the devices
};

/// Devices of the largest mesh; more is taken for a mistake.
inline constexpr int maxMeshDevices = 4096;

enum class MeshLevel : std::uint8_t { Ici, Dcn };

/// "ici_context_parallelism".
std::string axisKey(MeshLevel level, MeshAxis axis);

/// One -1 of ici (else of dcn) takes devices / (product of all other axes); a -1 of dcn beside one of ici
/// is 1. With neither a number of devices nor ranks, every -1 is 1. Refused: two -1 in one of the meshes,
/// devices that the axes do not divide or make, ranks that do not divide the devices. A problem is at the
/// project key to blame, with the nearest legal values.
std::variant<MeshLayout, Problem> resolveMesh(const MeshRequest& request);

/// True when the number of ranks decides an extent.
bool dependsOnRanks(const MeshRequest& request);

}  // namespace meshreel
