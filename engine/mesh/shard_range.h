// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace meshreel {

/// Elements [begin, end) of a longer axis.
struct ShardRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
    friend bool operator==(const ShardRange&, const ShardRange&) = default;
};

/// Returns the part of an axis of `length` that device `index` of `parts` holds: chunks of ⌈length/parts⌉ in
/// order, as MaxDiffusion cuts a sequence that it pads. Nothing is padded here: the last chunks are shorter,
/// or empty.
constexpr ShardRange shardRange(std::int64_t length, int parts, int index) {
    const std::int64_t chunk = (length + parts - 1) / parts;
    return {std::min(length, chunk * index), std::min(length, chunk * (index + 1))};
}

/// Returns shards whose sizes differ by one at most: for batches, where an empty part would idle.
constexpr ShardRange balancedShard(std::int64_t length, int parts, int index) {
    return {length * index / parts, length * (index + 1) / parts};
}

}  // namespace meshreel
