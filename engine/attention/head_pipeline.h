// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include "engine/attention/head_exchange.h"
#include "engine/attention/key_rotation.h"
#include "engine/tensor/scratch_arena.h"

namespace meshreel {

/// Attends, for this device's heads of one chunk, the queries of the whole ulysses group to its keys (and
/// those of other groups); all by head. The memory of the keys may be overwritten.
using ChunkAttention = std::function<void(const HeadTensor& query, const KeyShard& keys, HeadTensor& out)>;

/// Shards of one device, [batch, its tokens, all heads, headDim].
struct TokenShards {
    Tensor query;
    Tensor key;
    Tensor value;
    Tensor out;
};

/// Where the output of a single chunk is put until it is sent back.
enum class ChunkOutput : std::uint8_t {
    OverQuery,   ///< over the chunk's query: for an `attend` that reads each query once
    OverShards,  ///< over the shards of query, key and value, which `scratch` is lent meanwhile
};

/// Ulysses: trades the tokens of a group's devices for heads, chunk by chunk, lets `attend` compute and
/// trades back, so that the exchanges of other chunks are under way while one is computed. Buffers for two
/// chunks (query, key, value, output) come from `scratch`, for query, key and value of one when there is one.
void attendChunks(HeadExchange& queries, HeadExchange& keys, TokenShards& shards,
                  const std::vector<ShardRange>& chunks, ChunkOutput single, ScratchArena& scratch,
                  Trace* trace, const ChunkAttention& attend);

}  // namespace meshreel
