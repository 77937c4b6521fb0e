// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/block_sizes.h"

#include <unistd.h>

#include <algorithm>

#include "engine/kernels/attention/custom_attention.h"

namespace meshreel {
namespace {

/// The largest power of two up to `most`, within the limits, which are powers themselves.
std::int64_t powerOfTwoUpTo(std::int64_t most, std::int64_t smallest, std::int64_t largest) {
    std::int64_t power = smallest;
    while (power < largest && 2 * power <= most)
        power *= 2;
    return power;
}

}  // namespace

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
    if (resolved.blockKvComputeIn == 0)
        resolved.blockKvComputeIn = best.blockKvComputeIn;
    resolved.blockKvComputeIn = std::min(resolved.blockKvComputeIn, resolved.blockKvCompute);
    resolved.headsPerTile = std::max<std::int64_t>(1, resolved.headsPerTile);
    return resolved;
}

std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim) {
    return customScratchBytes(blocks, blocks.headsPerTile, blocks.blockQ, blocks.blockKv, headDim);
}

}  // namespace meshreel
