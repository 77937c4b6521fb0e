// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/shard_range.h"

#include <algorithm>

namespace meshreel {

ShardRange shardOf(std::int64_t length, int parts, int index) {
    const std::int64_t chunk = (length + parts - 1) / parts;
    return {std::min(length, chunk * index), std::min(length, chunk * (index + 1))};
}

ShardRange balancedShardOf(std::int64_t length, int parts, int index) {
    return {length * index / parts, length * (index + 1) / parts};
}

}  // namespace meshreel
