// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/exchange_memory.h"

#include "engine/attention/context_split.h"

namespace meshreel {

namespace {

constexpr int keyAndValue = 2;

// Pairs of key and value beside those of the device itself.
int ringPairs(const AttentionSettings& settings, int ring) {
    if (ring == 1)
        return 0;
    return settings.mode->rotation == Rotation::BidirectionalRing && ring > 2 ? 2 : 1;
}

}  // namespace

int exchangedShards(const AttentionSettings& settings, DType type, int contextDevices) {
    if (contextDevices == 1)
        return 0;
    const AttentionMode& mode = *settings.mode;
    const ContextSplit split = contextSplit(settings, contextDevices);
    if (split.devices() == 1 || (mode.exchange == Exchange::Gather && split.ulysses == 1))
        return keyAndValue * contextDevices;
    const int pairs = ringPairs(settings, split.ring);
    // A ring of bf16 adds up in f32.
    const int sums = split.ring > 1 && type == DType::BF16 ? 2 : 0;
    if (split.ulysses == 1)
        return keyAndValue * pairs + sums;
    if (mode.chunked && settings.chunks > 1)
        return keyAndValue + 2 + keyAndValue * pairs + sums;
    // One chunk: its query, its output and one pair lie where the inputs and the output are idle.
    return keyAndValue + (pairs > 1 ? keyAndValue * (pairs - 1) : 0) + sums;
}

}  // namespace meshreel
