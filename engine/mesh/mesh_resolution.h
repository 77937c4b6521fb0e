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
    int devices = 0;  ///< total; 0: as many as there are ranks, or as the axes require
    int ranks = 1;    ///< processes that divide the devices
};

/// Devices of the largest mesh; more is taken for a mistake.
inline constexpr int maxMeshDevices = 4096;

enum class MeshLevel : std::uint8_t { Ici, Dcn };

/// "ici_context_parallelism".
std::string axisKey(MeshLevel level, MeshAxis axis);

/// Resolves the mesh. One -1 in ici (else in dcn) takes devices / (product of all other axes); a -1 in dcn
/// beside one in ici is 1. With neither a number of devices nor ranks, every -1 is 1. Refused: two -1 in one
/// of the meshes, devices that the axes do not divide or form, ranks that do not divide the devices. A
/// problem names the project key to blame, with the nearest legal values.
std::variant<MeshLayout, Problem> resolveMesh(const MeshRequest& request);

/// True when the number of ranks decides an extent.
bool dependsOnRanks(const MeshRequest& request);

}  // namespace meshreel
