// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/attention/block_sizes.h"
#include "engine/attention/exchange.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
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
    // Heads that suffice for an ulysses group need not for the whole context axis.
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

void requireHeadForEach(const AttentionPlan& plan) {
    if (plan.heads < plan.headSharers())
        throw Error(ErrorKind::Internal,
                    fmt::format("A plan was made of {} for {} heads on {} devices that exchange heads",
                                plan.mode->name, plan.heads, plan.split.ulysses));
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

/// What an attention takes of the scratch, in tensors with all of the group's tokens and this device's heads:
/// in shards of one device's query where all devices have equally many heads.
int evenShards(const AttentionPlan& plan, DType type, RingMemory memory) {
    const ContextSplit& split = plan.split;
    const int devices = split.devices();
    if (devices == 1)
        return 0;
    if (plan.exchange == Exchange::Gather)
        return keyAndValue * devices;
    if (memory == RingMemory::Staged) {
        // What others have computed arrives, and the attention of the group's tokens leaves.
        const int exchanged = split.ulysses > 1 ? keyAndValue + 2 : 0;
        // Keys that pass by, and two partials in f32.
        const int passing = split.ring > 1 ? keyAndValue + (type == DType::BF16 ? 4 : 2) : 0;
        return exchanged + passing;
    }
    const int pairs = ringPairs(plan, memory);
    // A ring of bf16 adds up in f32.
    const int sums = split.ring > 1 && type == DType::BF16 ? 2 : 0;
    if (split.ulysses == 1)
        return keyAndValue * pairs + sums;
    // In one chunk of which all devices have equally many heads, the query, the output and one pair lie where
    // the inputs and the output are idle. With more heads than others a device has too little memory there.
    if (plan.chunks.size() == 1 && plan.heads % split.ulysses == 0)
        return keyAndValue + (pairs > 1 ? keyAndValue * (pairs - 1) : 0) + sums;
    return keyAndValue + 2 + keyAndValue * pairs + sums;
}

// Of a share of steps: 0.2 of 40 is 8, whatever its binary digits are.
int stepOfShare(double share, int steps) {
    return static_cast<int>(std::ceil(share * steps - 1e-9));
}

double densityFor(const SparseSettings& settings, ExpertNoise noise) {
    if (noise == ExpertNoise::Only)
        return settings.rule.density;
    return noise == ExpertNoise::High ? settings.highNoiseDensity : settings.lowNoiseDensity;
}

/// Returns when `dense`, the plan of self-attention, leaves blocks out; never for a short sequence, and where
/// steps are not known.
std::optional<SparsePlan> planSparse(const AttentionSettings& settings, const TransformerShape& shape,
                                     const AttentionPlan& dense) {
    if (!settings.sparse || shape.stretches.empty() || shape.tokens < settings.sparse->minimumTokens ||
        (dense.mode != settings.mode && dense.mode == &denseMode()))  // too short for flash
        return std::nullopt;
    const SparseSettings& sparse = *settings.sparse;
    if (!rowOf(dense.kernel).sparseOn.host || (dense.split.ring > 1 && !sparse.rule.row().takesRings))
        throw Error(ErrorKind::Internal,
                    fmt::format("A plan was made of {} with sparse_attention {} on a ring of {}",
                                dense.mode->name, sparse.rule.row().name, dense.split.ring));
    const int steps = shape.stretches.back().endStep;
    const int first = stepOfShare(sparse.start, steps);
    const int end = stepOfShare(sparse.end, steps);
    SparsePlan plan{.phases = {}, .denseLayers = sparse.denseLayers};
    for (const ExpertStretch& stretch : shape.stretches) {
        SparsePhase phase{.firstStep = std::max(first, stretch.firstStep),
                          .endStep = std::min(end, stretch.endStep),
                          .attention = dense};
        phase.attention.blocks.headsPerTile = 1;
        phase.attention.sparse = sparse.rule;
        phase.attention.sparse->density = densityFor(sparse, stretch.noise);
        if (phase.firstStep < phase.endStep)
            plan.phases.push_back(std::move(phase));
    }
    const auto isSparse = [&](std::int64_t layer) {
        return std::ranges::find(plan.denseLayers, layer) == plan.denseLayers.end();
    };
    // The middle one, or the next that leaves something out.
    plan.checkedLayer = shape.layers / 2;
    while (plan.checkedLayer < shape.layers && !isSparse(plan.checkedLayer))
        ++plan.checkedLayer;
    return plan.phases.empty() ? std::nullopt : std::optional(std::move(plan));
}

}  // namespace

const AttentionPlan* SparsePlan::find(int step, std::int64_t layer) const {
    if (std::ranges::find(denseLayers, layer) != denseLayers.end())
        return nullptr;
    const auto phase = std::ranges::find_if(
        phases, [step](const SparsePhase& one) { return step >= one.firstStep && step < one.endStep; });
    return phase == phases.end() ? nullptr : &phase->attention;
}

int SparsePlan::steps() const {
    int count = 0;
    for (const SparsePhase& phase : phases)
        count += phase.endStep - phase.firstStep;
    return count;
}

const AttentionPlan& AttentionPlans::selfIn(std::optional<int> step, std::int64_t layer) const {
    const AttentionPlan* const leaving = sparse && step ? sparse->find(*step, layer) : nullptr;
    return leaving != nullptr ? *leaving : self;
}

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
    plan.heads = shape.heads;
    if (!mode.headsPerTile)
        plan.blocks.headsPerTile = 1;
    if (plan.kernel == AttentionKernel::Flash)
        plan.blocks.blockKvComputeIn = std::min(flashStrip, plan.blocks.blockKvCompute);
    requireHeadForEach(plan);
    plan.chunks = headChunks(plan.heads, plan.split.ulysses, mode.chunked() ? settings.chunks : 1);
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
    AttentionPlans plans{.self = planOf(settings, shape.tokens, true),
                         .text = planCross(shape.textTokens),
                         .image = planCross(shape.imageTokens > 0 ? shape.imageTokens : shape.textTokens)};
    plans.sparse = planSparse(settings, shape, plans.self);
    return plans;
}

const AttentionPlan& densePlan() {
    static const AttentionPlan plan = planAttention({.mode = &denseMode()}, {});
    return plan;
}

std::int64_t AttentionPlan::mostHeads() const {
    return ceilDivide(heads, headSharers());
}

double AttentionPlan::headExcess() const {
    return real(headSharers() * mostHeads()) / real(heads);
}

double AttentionPlan::exchangedShards(DType type, RingMemory ring) const {
    return headExcess() * evenShards(*this, type, ring);
}

double AttentionPlan::biasedShards(DType type, bool onDevice) const {
    const int shardsOfF32 = type == DType::BF16 ? 2 : 1;
    return headExcess() * shardsOfF32 * AttentionAccumulator::sumShards(type, onDevice);
}

}  // namespace meshreel
