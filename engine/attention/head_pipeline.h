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

/// Which shards may be overwritten once a single chunk has been exchanged.
enum class IdleShards : std::uint8_t { Query, QueryKeyAndValue };

/// Ulysses: trades the tokens of a group's devices for heads, chunk by chunk, lets `attend` compute and
/// trades back, so that the exchanges of other chunks are under way while one is computed. Buffers for two
/// chunks (query, key, value, output) come from `scratch`. With one chunk only key and value do: its query is
/// put where the result goes in the end, its output over the idle query, and `scratch` is lent what else is
/// idle while `attend` runs.
void attendChunks(HeadExchange& queries, HeadExchange& keys, TokenShards& shards,
                  const std::vector<ShardRange>& chunks, IdleShards idle, ScratchArena& scratch, Trace* trace,
                  const ChunkAttention& attend);

}  // namespace meshreel
