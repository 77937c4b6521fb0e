// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What this device has of `length` tokens that the context axis shares out.
ShardRange ownTokens(Device& device, std::int64_t length);

/// Tokens `range` of each batch element of x [batch, tokens, width], f32.
Tensor tokensOfEach(const Tensor& x, ShardRange range);

/// [batch, tokens, width] of the parts [batch, own tokens, width] that the devices of the context axis have,
/// f32. They call it together.
Tensor gatherTokens(Device& device, const Tensor& own, std::int64_t tokens);

/// The videos of a batch that a device computes: the data × fsdp axes share them out, as evenly as it goes.
/// The two halves of classifier-free guidance count as videos of their own.
ShardRange ownVideos(Device& device, std::int64_t videos);

/// f32 [videos, …] on every device, of what each computed for its own [ownVideos().size(), …].
Tensor gatherVideos(Device& device, const Tensor& own, std::int64_t videos);

}  // namespace meshreel
