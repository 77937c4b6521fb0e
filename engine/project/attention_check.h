// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/problem.h"
#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

/// The mode of this name, which must run here. Throws Error{Project} with the nearest name, or with what to
/// use instead.
const AttentionMode& requireAttentionMode(std::string_view name);

/// Returns every reason why these settings cannot run `heads` heads (of the whole model; absent when not
/// known yet) on `contextDevices` × `tensorDevices` devices: modes that do not run, ulysses_shards unset or
/// not dividing the context axis, heads that the tensor axis does not divide, fewer heads than devices that
/// exchange them, ring of one device, heads_per_tile, sparse attention, blocks, scratch limit. Each problem
/// names the project key to blame, with the legal values that are known.
std::vector<Problem> attentionProblems(const AttentionSettings& settings, std::optional<std::int64_t> heads,
                                       std::optional<std::int64_t> headDim, int contextDevices,
                                       int tensorDevices);

/// Returns the divisor of blockKv nearest to `wanted` (the larger of two equally near); blockKv at least 1.
std::int64_t nearestKvCompute(std::int64_t blockKv, std::int64_t wanted);

/// Throws Error{Project} with the numbers when one worker of the custom kernels needs more scratch memory
/// than vmem_limit_bytes. `blocks` are resolved.
void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim);

}  // namespace meshreel
