// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/context_split.h"

#include <algorithm>

#include "engine/attention/attention_mode.h"
#include "engine/attention/exchange.h"

namespace meshreel {

ContextSplit contextSplit(const AttentionSettings& settings, int contextDevices) {
    if (settings.mode->hybrid())
        return {.ring = contextDevices / settings.ulyssesShards, .ulysses = settings.ulyssesShards};
    if (selectExchange(settings) == Exchange::Ulysses)
        return {.ring = 1, .ulysses = contextDevices};
    return {.ring = contextDevices, .ulysses = 1};
}

ShardRange groupTokens(const ContextSplit& split, std::int64_t length, int ring) {
    const int first = ring * split.ulysses;
    return {shardRange(length, split.devices(), first).begin,
            shardRange(length, split.devices(), first + split.ulysses - 1).end};
}

std::vector<ShardRange> headChunks(std::int64_t heads, int ulysses, int chunks) {
    const std::int64_t groups = heads / ulysses;
    const std::int64_t count = std::clamp<std::int64_t>(chunks, 1, std::max<std::int64_t>(1, groups));
    std::vector<ShardRange> ranges;
    std::int64_t begin = 0;
    for (std::int64_t chunk = 0; chunk < count; ++chunk) {
        const std::int64_t larger = chunk < groups % count ? 1 : 0;
        const std::int64_t end = begin + (groups / count + larger) * ulysses;
        ranges.push_back({begin, end});
        begin = end;
    }
    ranges.back().end = heads;
    return ranges;
}

ShardRange headShard(const ShardRange& chunk, int ulysses, int index) {
    const std::int64_t each = chunk.size() / ulysses;
    const std::int64_t left = chunk.size() % ulysses;
    const std::int64_t begin = chunk.begin + index * each + std::min<std::int64_t>(index, left);
    return {begin, begin + each + (index < left ? 1 : 0)};
}

}  // namespace meshreel
