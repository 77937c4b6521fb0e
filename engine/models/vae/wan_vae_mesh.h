// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/mesh/device_mesh.h"
#include "engine/models/vae/wan_vae_stream.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Who gets the joined result of all strips and samples; the other devices get no elements.
enum class JoinAt : std::uint8_t { FirstDevice, EveryDevice };

/// Streams a batch [B, C, T, H, W], which every device of `mesh` holds, through the coder: each device takes
/// its columns of the samples of its group. Chunks are joined as they are done, so that no device waits
/// longer than one chunk for another. Only a device that gets the result may listen to chunks.
Tensor streamOnMesh(Device& device, const VaeCoder& coder, const VaeMesh& mesh, const Tensor& batch,
                    JoinAt where, const VaeEvents& events);

}  // namespace meshreel
