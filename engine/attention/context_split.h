// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/base/problem.h"
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

/// Returns how the mode divides `contextDevices` devices. The settings must be legal (see attentionProblems).
ContextSplit contextSplit(const AttentionSettings& settings, int contextDevices);

/// Returns the tokens of the ulysses group at ring index `ring`: the shards of its devices, which lie side by
/// side.
ShardRange groupTokens(const ContextSplit& split, std::int64_t length, int ring);

/// Returns the heads of each chunk of an exchange between `ulysses` devices: whole multiples of `ulysses`, as
/// even as possible, the larger ones first; fewer chunks when there are not enough heads. Within a chunk, the
/// device at ulysses index u computes the u-th of equal parts. `ulysses` divides `heads`.
std::vector<ShardRange> headChunks(std::int64_t heads, int ulysses, int chunks);

/// Returns every reason why these settings cannot run `heads` heads (of the whole model; absent when not
/// known yet) on `contextDevices` × `tensorDevices` devices: modes that do not run, ulysses_shards unset or
/// not dividing, heads that do not divide, ring of one device, heads_per_tile, blocks, scratch limit. Each
/// problem names the project key to blame, with the legal values that are known.
std::vector<Problem> attentionProblems(const AttentionSettings& settings, std::optional<std::int64_t> heads,
                                       std::optional<std::int64_t> headDim, int contextDevices,
                                       int tensorDevices);

}  // namespace meshreel
