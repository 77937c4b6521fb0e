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
/// even as possible, the larger ones first; fewer chunks when there are not enough heads. Within a chunk, the
/// device at ulysses index u computes the u-th of equal parts. `ulysses` divides `heads`.
std::vector<ShardRange> headChunks(std::int64_t heads, int ulysses, int chunks);

}  // namespace meshreel
