// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/block_sizes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/attention/custom_attention.h"

namespace meshreel {
namespace {

constexpr std::string_view computeKey = "flash_block_sizes.block_kv_compute";
constexpr std::string_view limitKey = "flash_block_sizes.vmem_limit_bytes";

/// The largest power of two up to `most`, within the limits, which are powers themselves.
std::int64_t powerOfTwoUpTo(std::int64_t most, std::int64_t smallest, std::int64_t largest) {
    std::int64_t power = smallest;
    while (power < largest && 2 * power <= most)
        power *= 2;
    return power;
}

/// A block: of queries or of keys.
Sentence impossibleBlock(std::int64_t size) {
    return sentence("A block of {} is impossible", size);
}

Sentence zeroForDefault(std::int64_t standard) {
    return sentence("Use a positive number, or 0 for the default of {}", standard);
}

constexpr std::int64_t largestBlock = 1 << 20;

constexpr std::array sizeRows{
    BlockSizeRow{.key = "flash_block_sizes.block_q",
                 .member = &FlashBlockSizes::blockQ,
                 .searched = true,
                 .basic = true,
                 .maximum = largestBlock,
                 .title = "Query block",
                 .help = "Query rows of one tile of flash attention; 0 takes the kernel's own.",
                 .unit = "rows",
                 .impossible = impossibleBlock,
                 .legal = zeroForDefault},
    BlockSizeRow{.key = "flash_block_sizes.block_kv",
                 .member = &FlashBlockSizes::blockKv,
                 .searched = true,
                 .basic = true,
                 .maximum = largestBlock,
                 .title = "Key block",
                 .help = "Key and value rows that are loaded together; 0 takes the kernel's own.",
                 .unit = "rows",
                 .impossible = impossibleBlock,
                 .legal = zeroForDefault},
    BlockSizeRow{.key = "flash_block_sizes.block_kv_compute",
                 .member = &FlashBlockSizes::blockKvCompute,
                 .searched = true,
                 .basic = true,
                 .maximum = largestBlock,
                 .title = "Key block per product",
                 .help = "Key rows of one matrix product inside a key block, which it divides; an upper "
                         "bound on CPUs that compute in bf16 tiles; 0 takes the kernel's own.",
                 .unit = "rows",
                 .impossible = impossibleBlock,
                 .legal = zeroForDefault},
    BlockSizeRow{.key = "flash_block_sizes.block_kv_compute_in",
                 .member = &FlashBlockSizes::blockKvComputeIn,
                 .searched = true,
                 .maximum = largestBlock,
                 .title = "Key block per softmax",
                 .help = "Key rows of one softmax step of the custom kernels; 0 takes the kernel's own.",
                 .unit = "rows",
                 .impossible = impossibleBlock,
                 .legal = zeroForDefault},
    BlockSizeRow{
        .key = "flash_block_sizes.heads_per_tile",
        .member = &FlashBlockSizes::headsPerTile,
        .minimum = 1,
        .maximum = 1024,
        .title = "Heads per tile",
        .help = "Heads that the custom kernels handle together.",
        .unit = "heads",
        .impossible =
            [](std::int64_t size) { return sentence("A number of heads of {} is impossible", size); },
        .legal = zeroForDefault},
    BlockSizeRow{
        .key = "flash_block_sizes.vmem_limit_bytes",
        .member = &FlashBlockSizes::vmemLimitBytes,
        .title = "Scratch limit",
        .help = "Scratch memory that a tile of the custom kernels may use; 0 sets no limit.",
        .unit = "bytes",
        .impossible = [](std::int64_t size) { return sentence("A limit of {} bytes is impossible", size); },
        .legal = [](std::int64_t) { return sentence("Use a positive number, or 0 for no limit"); }},
};

static_assert(sizeRows.size() * sizeof(std::int64_t) == sizeof(FlashBlockSizes), "each size has a row");

void requireNoNegatives(const FlashBlockSizes& sizes, const FlashBlockSizes& best) {
    for (const BlockSizeRow& row : sizeRows)
        if (const std::int64_t size = sizes.*row.member; size < 0)
            throw Error(ErrorKind::Project, Problem{.id = "block-impossible",
                                                    .key = std::string(row.key),
                                                    .message = row.impossible(size),
                                                    .fixes = setKey(row.legal(best.*row.member), row.key,
                                                                    {std::to_string(row.minimum)})});
}

}  // namespace

std::span<const BlockSizeRow> blockSizeRows() {
    return sizeRows;
}

std::int64_t nearestKvCompute(std::int64_t blockKv, std::int64_t wanted) {
    const auto distance = [wanted](std::int64_t size) { return std::abs(size - wanted); };
    std::int64_t nearest = blockKv;
    const auto consider = [&](std::int64_t divisor) {
        if (distance(divisor) < distance(nearest) ||
            (distance(divisor) == distance(nearest) && divisor > nearest))
            nearest = divisor;
    };
    for (std::int64_t divisor = 1; divisor * divisor <= blockKv; ++divisor)
        if (blockKv % divisor == 0) {
            consider(divisor);
            consider(blockKv / divisor);
        }
    return nearest;
}

CoreCaches coreCaches() {
    constexpr std::int64_t usualLevel1 = 32 << 10;
    constexpr std::int64_t usualLevel2 = 1 << 20;
    const auto sizeOr = [](int name, std::int64_t usual) {
        const std::int64_t size = sysconf(name);
        return size > 0 ? size : usual;
    };
    return {.level1 = sizeOr(_SC_LEVEL1_DCACHE_SIZE, usualLevel1),
            .level2 = sizeOr(_SC_LEVEL2_CACHE_SIZE, usualLevel2)};
}

FlashBlockSizes bestFlashBlocks(const CoreCaches& caches) {
    constexpr std::int64_t usualHeadDim = 128;
    constexpr std::int64_t element = sizeof(float);
    constexpr std::int64_t queryStep = 96;
    constexpr std::int64_t tileQueries = 32;
    const std::int64_t queries = 2 * caches.level2 / (2 * usualHeadDim * element);
    const std::int64_t keys = powerOfTwoUpTo(caches.level2 / 2 / (2 * usualHeadDim * element), 256, 2048);
    return {.blockQ = std::clamp<std::int64_t>(queries / queryStep, 5, 42) * queryStep,
            .blockKv = keys,
            .blockKvCompute = keys,
            .blockKvComputeIn = powerOfTwoUpTo(caches.level1 * 3 / 4 / (tileQueries * element), 64, 256)};
}

FlashBlockSizes resolveFlashBlocks(const FlashBlockSizes& sizes, const CoreCaches& caches) {
    const FlashBlockSizes best = bestFlashBlocks(caches);
    requireNoNegatives(sizes, best);
    FlashBlockSizes resolved = sizes;
    if (resolved.blockQ == 0)
        resolved.blockQ = best.blockQ;
    if (resolved.blockKv == 0)
        resolved.blockKv = std::max(best.blockKv, sizes.blockKvCompute);
    if (resolved.blockKvCompute == 0) {
        resolved.blockKvCompute = std::min(resolved.blockKv, best.blockKvCompute);
        while (resolved.blockKv % resolved.blockKvCompute != 0)
            --resolved.blockKvCompute;
    }
    if (resolved.blockKv % resolved.blockKvCompute != 0) {
        const std::int64_t nearest = nearestKvCompute(resolved.blockKv, resolved.blockKvCompute);
        throw Error(ErrorKind::Project,
                    Problem{.id = "blocks-do-not-divide",
                            .key = std::string(computeKey),
                            .involved = {"flash_block_sizes.block_kv"},
                            .message = sentence("block_kv_compute {} does not divide block_kv {}",
                                                resolved.blockKvCompute, resolved.blockKv),
                            .fixes = setKey(sentence("The nearest legal value is {}", nearest), computeKey,
                                            {fmt::to_string(nearest)})});
    }
    if (resolved.blockKvComputeIn == 0)
        resolved.blockKvComputeIn = best.blockKvComputeIn;
    resolved.blockKvComputeIn = std::min(resolved.blockKvComputeIn, resolved.blockKvCompute);
    resolved.headsPerTile = std::max<std::int64_t>(1, resolved.headsPerTile);
    return resolved;
}

std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim) {
    return customScratchBytes(blocks, blocks.headsPerTile, blocks.blockQ, blocks.blockKv, headDim);
}

void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim) {
    const std::size_t needed = customScratchBytes(blocks, headDim);
    const auto limit = static_cast<std::size_t>(blocks.vmemLimitBytes);
    if (limit == 0 || needed <= limit)
        return;
    throw Error(
        ErrorKind::Project,
        Problem{
            .id = "scratch-limit-exceeded",
            .key = std::string(limitKey),
            .involved = {"flash_block_sizes.block_q", "flash_block_sizes.block_kv", std::string(computeKey)},
            .message = sentence(
                "Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch "
                "per worker with heads of {}, and vmem_limit_bytes is {}",
                blocks.blockQ, blocks.blockKv, blocks.blockKvCompute, blocks.headsPerTile, needed, headDim,
                limit),
            .fixes = byHand(sentence("Use smaller block_q, block_kv or block_kv_compute, a limit of at least "
                                     "{}, or 0 for no limit",
                                     needed))});
}

namespace {

constexpr std::int64_t tunedVmem = 64 << 20;  ///< bytes, of the recipes for the custom kernels

bool hasBlocks(const AttentionMode& mode) {
    return mode.runs() && rowOf(mode.kernel).isBlocked;
}

bool isFlash(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Flash;
}

bool isCustomWithoutRing(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Custom && mode.rotation == Rotation::None;
}

bool isCustomRing(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Custom && mode.rotation != Rotation::None;
}

bool isAnyCustom(const AttentionMode& mode) {
    return rowOf(mode.kernel).isCustom;
}

bool isAnyCustomWithoutRing(const AttentionMode& mode) {
    return rowOf(mode.kernel).isCustom && mode.rotation == Rotation::None;
}

bool isAnyCustomRing(const AttentionMode& mode) {
    return rowOf(mode.kernel).isCustom && mode.rotation != Rotation::None;
}

bool isFixedM(const AttentionMode& mode) {
    return rowOf(mode.kernel).boundsScores;
}

constexpr std::string_view flashOnly =
    "Found for the flash kernel: choose flash, ulysses, tokamax_ring or ulysses_ring to use these sizes.";
constexpr std::string_view customOnly =
    "Found for the custom kernels: choose ulysses_custom or ulysses_ring_custom to use these sizes.";
constexpr std::string_view customRingOnly =
    "Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these "
    "sizes.";

FlashBlockSizes custom(std::int64_t queries, std::int64_t keys) {
    return {.blockQ = queries,
            .blockKv = keys,
            .blockKvCompute = keys,
            .blockKvComputeIn = 1024,
            .vmemLimitBytes = tunedVmem};
}

}  // namespace

std::span<const BlockPreset> blockPresets() {
    static const std::array presets{
        BlockPreset{.name = "This machine's caches",
                    .source = "",
                    .sizes = {},
                    .suits = hasBlocks,
                    .otherwise = "dot_product computes without blocks: choose flash to use block sizes."},
        BlockPreset{.name = "TPU v6e, Wan 14B and 27B",
                    .source = "MaxDiffusion, comments of base_wan_14b.yml and base_wan_27b.yml",
                    .sizes = {.blockQ = 3024, .blockKv = 2048, .blockKvCompute = 1024},
                    .suits = isFlash,
                    .otherwise = flashOnly},
        BlockPreset{.name = "TPU v5p, Wan 14B",
                    .source = "MaxDiffusion, comments of base_wan_14b.yml",
                    .sizes = {.blockQ = 3024, .blockKv = 2048, .blockKvCompute = 1024},
                    .suits = isFlash,
                    .otherwise = flashOnly},
        BlockPreset{.name = "TPU v6e, Wan Animate",
                    .source = "MaxDiffusion, base_wan_animate.yml",
                    .sizes = {.blockQ = 2048, .blockKv = 4096, .blockKvCompute = 1024},
                    .suits = isFlash,
                    .otherwise = flashOnly},
        BlockPreset{.name = "TPU v7x, Ulysses",
                    .source = "MaxDiffusion, comments of base_wan_27b.yml",
                    .sizes = custom(8448, 1024),
                    .suits = isCustomWithoutRing,
                    .otherwise = "Found for the custom kernel without a ring: choose ulysses_custom to use "
                                 "these sizes."},
        BlockPreset{.name = "TPU v7x, Ulysses and a ring of up to 8",
                    .source = "MaxDiffusion, comments of base_wan_27b.yml",
                    .sizes = custom(9472, 1024),
                    .suits = isCustomRing,
                    .otherwise = customRingOnly},
        BlockPreset{.name = "TPU v7x, a ring of 16 or more",
                    .source = "MaxDiffusion, comments of base_wan_27b.yml",
                    .sizes = custom(4096, 1024),
                    .suits = isCustomRing,
                    .otherwise = customRingOnly},
        BlockPreset{
            .name = "TPU v6e, Ulysses over 4",
            .source = "MaxDiffusion, pull request 479",
            .sizes = {.blockQ = 9472, .blockKv = 1024, .blockKvCompute = 512, .blockKvComputeIn = 512},
            .suits = isAnyCustomWithoutRing,
            .otherwise = "Found for the custom kernel without a ring: choose ulysses_custom to use "
                         "these sizes."},
        BlockPreset{
            .name = "TPU v7x, Ulysses over 2 and a ring of 2",
            .source = "MaxDiffusion, pull request 479",
            .sizes = {.blockQ = 6400, .blockKv = 2048, .blockKvCompute = 2048, .blockKvComputeIn = 2048},
            .suits = isAnyCustomRing,
            .otherwise = customRingOnly},
        BlockPreset{
            .name = "TPU v7x, Wan 2.1 and 2.2 recipes",
            .source = "tpu-recipes, Ironwood",
            .sizes = {.blockQ = 4864, .blockKv = 1024, .blockKvCompute = 1024, .blockKvComputeIn = 1024},
            .suits = isAnyCustom,
            .otherwise = customOnly},
        BlockPreset{
            .name = "TPU v6e, Wan 2.2 recipe",
            .source = "tpu-recipes, Trillium",
            .sizes = {.blockQ = 3328, .blockKv = 2816, .blockKvCompute = 256, .blockKvComputeIn = 256},
            .suits = isAnyCustom,
            .otherwise = customOnly},
        BlockPreset{.name = "TPU v7x, fixed bound",
                    .source = "MaxDiffusion, script for the fixed-m kernels",
                    .sizes = custom(6400, 2048),
                    .suits = isFixedM,
                    .otherwise = "Found for the kernel with a fixed bound: choose ulysses_custom_fixed_m or "
                                 "ulysses_ring_custom_fixed_m to use these sizes."},
    };
    return presets;
}

}  // namespace meshreel
