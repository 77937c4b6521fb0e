// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/block_sizes.h"
#include "engine/attention/block_presets.h"
#include "engine/attention/block_size_rows.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "engine/attention/block_size_rows.h"
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

void requireNoNegatives(const FlashBlockSizes& sizes, const FlashBlockSizes& best) {
    for (const BlockSizeRow& row : blockSizeRows())
        if (const std::int64_t size = sizes.*row.member; size < 0)
            throw Error(ErrorKind::Project, Problem{.id = "block-impossible",
                                                    .key = std::string(row.key),
                                                    .message = row.impossible(size),
                                                    .fixes = setKey(row.legal(best.*row.member), row.key,
                                                                    {std::to_string(row.minimum)})});
}

}  // namespace

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

}  // namespace meshreel
