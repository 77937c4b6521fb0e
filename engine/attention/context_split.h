// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/mesh/shard_range.h"

namespace meshreel {

/// The context axis seen as ring × ulysses: device c has ring index c / ulysses and ulysses index c %
/// ulysses. Within an ulysses group tokens are traded for heads; the ring rotates, or gathers, keys.
struct ContextSplit {
    int ring = 1;
    int ulysses = 1;

    [[nodiscard]] int devices() const { return ring * ulysses; }
    friend bool operator==(const ContextSplit&, const ContextSplit&) = default;
};

/// Returns how the mode divides `contextDevices` devices. The settings must be legal (see
/// engine/project/attention_check.h).
ContextSplit contextSplit(const AttentionSettings& settings, int contextDevices);

/// Returns the tokens of the ulysses group at ring index `ring`: the shards of its devices, which lie side by
/// side.
ShardRange groupTokens(const ContextSplit& split, std::int64_t length, int ring);

/// Returns the heads of each chunk of an exchange between `ulysses` devices: whole multiples of `ulysses`, as
/// even as possible, the larger ones first; the last one also takes the heads that are left over. There are
/// fewer chunks when there are not enough heads, so that every device has one of each chunk.
std::vector<ShardRange> headChunks(std::int64_t heads, int ulysses, int chunks);

/// Returns what the device at ulysses index `index` computes of a chunk's heads: parts in order, as even as
/// possible, the larger ones first. With those of headChunks(), a device has as many heads in all chunks
/// together as it has of all heads as one chunk.
ShardRange headShard(const ShardRange& chunk, int ulysses, int index);

}  // namespace meshreel
