// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/context_split.h"

#include <algorithm>

namespace meshreel {

ContextSplit contextSplit(const AttentionSettings& settings, int contextDevices) {
    const AttentionMode& mode = *settings.mode;
    const bool headsForTokens = mode.exchange == Exchange::Ulysses ||
                                (mode.exchange == Exchange::Gather && !settings.uniformSharding);
    if (mode.hybrid)
        return {.ring = contextDevices / settings.ulyssesShards, .ulysses = settings.ulyssesShards};
    if (headsForTokens)
        return {.ring = 1, .ulysses = contextDevices};
    return {.ring = contextDevices, .ulysses = 1};
}

ShardRange groupTokens(const ContextSplit& split, std::int64_t length, int ring) {
    const int first = ring * split.ulysses;
    return {shardOf(length, split.devices(), first).begin,
            shardOf(length, split.devices(), first + split.ulysses - 1).end};
}

std::vector<ShardRange> headChunks(std::int64_t heads, int ulysses, int chunks) {
    const std::int64_t groups = heads / ulysses;
    const std::int64_t count = std::clamp<std::int64_t>(chunks, 1, std::max<std::int64_t>(1, groups));
    const std::int64_t chunkHeads = groups / count * ulysses;
    std::vector<ShardRange> ranges;
    for (std::int64_t chunk = 0; chunk < count; ++chunk)
        ranges.push_back({chunk * chunkHeads, chunk + 1 == count ? heads : (chunk + 1) * chunkHeads});
    return ranges;
}

AttentionSettings crossAttentionSettings(const AttentionSettings& settings) {
    AttentionSettings cross = settings;
    cross.mode = findAttentionMode(settings.mode->crossAttention);
    return cross;
}

AttentionSettings effectiveSettings(const AttentionSettings& settings, std::int64_t queryLength,
                                    std::int64_t keyLength) {
    AttentionSettings effective = settings;
    if (!settings.mode->minimumLength || std::min(queryLength, keyLength) >= settings.flashMinSeqLength)
        return effective;
    effective.mode = findAttentionMode("dot_product");
    // Heads that fit an ulysses group need not fit the whole context axis.
    effective.uniformSharding = settings.uniformSharding || settings.mode->exchange != Exchange::Gather;
    return effective;
}

}  // namespace meshreel
