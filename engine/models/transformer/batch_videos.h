// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The videos of a batch that a device computes: the data × fsdp axes share them out, as evenly as it goes.
/// The two halves of classifier-free guidance count as videos of their own.
ShardRange ownVideos(Device& device, std::int64_t videos);

/// f32 [videos, …] on every device, of what each computed for its own [ownVideos().size(), …].
Tensor gatherVideos(Device& device, const Tensor& own, std::int64_t videos);

}  // namespace meshreel
