// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/attention/block_sizes.h"
#include "engine/attention/exchange.h"
#include "engine/base/error.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/local_attention.h"

namespace meshreel {
namespace {

/// Uses dot_product in place of a mode for which a sequence is too short.
AttentionSettings effectiveSettings(const AttentionSettings& settings, const AttentionShape& shape) {
    AttentionSettings effective = settings;
    const std::int64_t shorter = std::min(shape.queryLength, shape.keyLength);
    if (!settings.mode->minimumLength || shorter >= settings.flashMinSeqLength)
        return effective;
    effective.mode = &denseMode();
    // Heads that fit an ulysses group need not fit the whole context axis.
    effective.uniformSharding = settings.uniformSharding || settings.mode->exchange != Exchange::Gather;
    return effective;
}

/// Uses the mode that the requested one names for cross-attention to so many keys.
AttentionSettings crossAttentionSettings(const AttentionSettings& settings, std::int64_t keys,
                                         std::int64_t tokens) {
    const AttentionMode& mode = *settings.mode;
    const bool isLong = keys > tokens && !mode.longCrossAttention.empty();
    AttentionSettings cross = settings;
    cross.mode = findAttentionMode(isLong ? mode.longCrossAttention : mode.crossAttention);
    return cross;
}

void requirePlannable(const AttentionSettings& settings, const AttentionShape& shape) {
    if (settings.mode == nullptr || !settings.mode->runs())
        throw Error(ErrorKind::Internal, "A plan was made of an attention mode that does not run");
    if (settings.mode->hybrid() &&
        (settings.ulyssesShards < 1 || shape.contextDevices % settings.ulyssesShards != 0))
        throw Error(ErrorKind::Internal,
                    fmt::format("A plan was made of {} with ulysses_shards {} on {} context devices",
                                settings.mode->name, settings.ulyssesShards, shape.contextDevices));
}

FlashBlockSizes resolvedBlocks(const FlashBlockSizes& sizes) {
    const FlashBlockSizes blocks = resolveFlashBlocks(sizes);
    const std::int64_t least =
        std::min({blocks.blockQ, blocks.blockKv, blocks.blockKvCompute, blocks.blockKvComputeIn});
    if (least < 1 || blocks.vmemLimitBytes < 0 || blocks.blockKv % blocks.blockKvCompute != 0)
        throw Error(
            ErrorKind::Internal,
            fmt::format("A plan was made of blocks of {} queries, {} keys, {} at a time and {} a step",
                        blocks.blockQ, blocks.blockKv, blocks.blockKvCompute, blocks.blockKvComputeIn));
    return blocks;
}

void requireWholeHeads(const AttentionPlan& plan, std::int64_t heads) {
    if (plan.keysSharded && heads % plan.split.ulysses != 0)
        throw Error(ErrorKind::Internal,
                    fmt::format("A plan was made of {} for {} heads on {} devices that exchange heads",
                                plan.mode->name, heads, plan.split.ulysses));
}

// Keys in one softmax step of flash, which has no project key for that.
constexpr std::int64_t flashStrip = 256;

constexpr int keyAndValue = 2;

/// Pairs of key and value beside those of the device itself.
int ringPairs(const AttentionPlan& plan, RingMemory memory) {
    const int ring = plan.split.ring;
    if (ring == 1 || memory == RingMemory::Shared)
        return 0;
    if (plan.rotation != Rotation::BidirectionalRing || ring == 2)
        return 1;
    // With five devices or more, two arrive while two are read; the first of these is the device's own.
    return ring > 4 ? 3 : 2;
}

}  // namespace

AttentionPlan planAttention(const AttentionSettings& settings, const AttentionShape& shape) {
    requirePlannable(settings, shape);
    const AttentionSettings effective = effectiveSettings(settings, shape);
    const AttentionMode& mode = *effective.mode;
    AttentionPlan plan{{.kernel = mode.kernel,
                        .boundPerBlock = mode.boundPerBlock,
                        .base = settings.base2 ? ExponentBase::Two : ExponentBase::Natural,
                        .blocks = resolvedBlocks(settings.blocks)}};
    plan.mode = &mode;
    plan.exchange = selectExchange(effective);
    plan.rotation = mode.rotation;
    plan.split = contextSplit(effective, shape.contextDevices);
    plan.keysSharded = shape.keysSharded;
    if (!mode.headsPerTile)
        plan.blocks.headsPerTile = 1;
    if (plan.kernel == AttentionKernel::Flash)
        plan.blocks.blockKvComputeIn = std::min(flashStrip, plan.blocks.blockKvCompute);
    requireWholeHeads(plan, shape.heads);
    plan.chunks = headChunks(shape.heads, plan.split.ulysses, mode.chunked() ? settings.chunks : 1);
    return plan;
}

AttentionPlans planAttentions(const AttentionSettings& settings, const TransformerShape& shape) {
    const auto planOf = [&](const AttentionSettings& of, std::int64_t keys, bool sharded) {
        return planAttention(of, {.queryLength = shape.tokens,
                                  .keyLength = keys,
                                  .heads = shape.heads,
                                  .contextDevices = shape.contextDevices,
                                  .keysSharded = sharded});
    };
    const auto planCross = [&](std::int64_t keys) {
        const AttentionSettings cross = crossAttentionSettings(settings, keys, shape.tokens);
        return planOf(cross, keys, cross.mode->exchange == Exchange::Ulysses);
    };
    return {.self = planOf(settings, shape.tokens, true),
            .text = planCross(shape.textTokens),
            .image = planCross(shape.imageTokens > 0 ? shape.imageTokens : shape.textTokens)};
}

const AttentionPlan& densePlan() {
    static const AttentionPlan plan = planAttention({.mode = &denseMode()}, {});
    return plan;
}

int biasedShards(DType type, bool onDevice) {
    const int shardsOfF32 = type == DType::BF16 ? 2 : 1;
    return shardsOfF32 * AttentionAccumulator::sumShards(type, onDevice);
}

int AttentionPlan::exchangedShards(DType type, RingMemory ring) const {
    const int devices = split.devices();
    if (devices == 1)
        return 0;
    if (exchange == Exchange::Gather)
        return keyAndValue * devices;
    if (ring == RingMemory::Staged) {
        // What others have computed arrives, and the attention of the group's tokens leaves.
        const int exchanged = split.ulysses > 1 ? keyAndValue + 2 : 0;
        // Keys that pass by, and two partials in f32.
        const int passing = split.ring > 1 ? keyAndValue + (type == DType::BF16 ? 4 : 2) : 0;
        return exchanged + passing;
    }
    const int pairs = ringPairs(*this, ring);
    // A ring of bf16 adds up in f32.
    const int sums = split.ring > 1 && type == DType::BF16 ? 2 : 0;
    if (split.ulysses == 1)
        return keyAndValue * pairs + sums;
    if (chunks.size() > 1)
        return keyAndValue + 2 + keyAndValue * pairs + sums;
    // One chunk: its query, its output and one pair lie where the inputs and the output are idle.
    return keyAndValue + (pairs > 1 ? keyAndValue * (pairs - 1) : 0) + sums;
}

}  // namespace meshreel
