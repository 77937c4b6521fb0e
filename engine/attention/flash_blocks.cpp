// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/flash_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"
#include "engine/kernels/custom_attention.h"

namespace meshreel {

namespace {

// Keys of one softmax step when block_kv_compute_in is not given: MaxDiffusion's default of the kernel
// itself.
constexpr std::int64_t defaultComputeIn = 256;

void requireNotNegative(std::int64_t size, std::string_view key, std::string_view what,
                        std::int64_t standard) {
    if (size < 0)
        throw Error(ErrorKind::Project, fmt::format("{} of {} is impossible", what, size),
                    fmt::format("flash_block_sizes.{}", key),
                    fmt::format("Use a positive number, or 0 for the default of {}", standard));
}

void requireNoNegatives(const FlashBlockSizes& sizes) {
    constexpr std::int64_t size = FlashBlockSizes::defaultSize;
    requireNotNegative(sizes.blockQ, "block_q", "A block", size);
    requireNotNegative(sizes.blockKv, "block_kv", "A block", size);
    requireNotNegative(sizes.blockKvCompute, "block_kv_compute", "A block", size);
    requireNotNegative(sizes.blockKvComputeIn, "block_kv_compute_in", "A block", defaultComputeIn);
    requireNotNegative(sizes.headsPerTile, "heads_per_tile", "A number of heads", 1);
    if (sizes.vmemLimitBytes < 0)
        throw Error(ErrorKind::Project,
                    fmt::format("A limit of {} bytes is impossible", sizes.vmemLimitBytes),
                    "flash_block_sizes.vmem_limit_bytes", "Use a positive number, or 0 for no limit");
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

FlashBlockSizes resolveFlashBlocks(const FlashBlockSizes& sizes) {
    requireNoNegatives(sizes);
    FlashBlockSizes resolved = sizes;
    if (resolved.blockQ == 0)
        resolved.blockQ = FlashBlockSizes::defaultSize;
    if (resolved.blockKv == 0)
        resolved.blockKv = std::max(FlashBlockSizes::defaultSize, sizes.blockKvCompute);
    if (resolved.blockKvCompute == 0) {
        resolved.blockKvCompute = std::min(resolved.blockKv, FlashBlockSizes::defaultSize);
        while (resolved.blockKv % resolved.blockKvCompute != 0)
            --resolved.blockKvCompute;
    }
    if (resolved.blockKv % resolved.blockKvCompute != 0)
        throw Error(ErrorKind::Project,
                    fmt::format("block_kv_compute {} does not divide block_kv {}", resolved.blockKvCompute,
                                resolved.blockKv),
                    "flash_block_sizes.block_kv_compute",
                    fmt::format("The nearest legal value is {}",
                                nearestKvCompute(resolved.blockKv, resolved.blockKvCompute)));
    if (resolved.blockKvComputeIn == 0)
        resolved.blockKvComputeIn = defaultComputeIn;
    resolved.blockKvComputeIn = std::min(resolved.blockKvComputeIn, resolved.blockKvCompute);
    resolved.headsPerTile = std::max<std::int64_t>(1, resolved.headsPerTile);
    return resolved;
}

CustomBlocks customBlocks(const FlashBlockSizes& blocks) {
    return {.kv = blocks.blockKv, .compute = blocks.blockKvCompute, .computeIn = blocks.blockKvComputeIn};
}

std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim) {
    return customScratchBytes(customBlocks(blocks), blocks.headsPerTile, blocks.blockQ, blocks.blockKv,
                              headDim);
}

void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim) {
    const std::size_t needed = customScratchBytes(blocks, headDim);
    const auto limit = static_cast<std::size_t>(blocks.vmemLimitBytes);
    if (limit == 0 || needed <= limit)
        return;
    throw Error(
        ErrorKind::Project,
        fmt::format("Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch "
                    "per worker "
                    "with heads of {}, and vmem_limit_bytes is {}",
                    blocks.blockQ, blocks.blockKv, blocks.blockKvCompute, blocks.headsPerTile, needed,
                    headDim, limit),
        "flash_block_sizes.vmem_limit_bytes",
        fmt::format(
            "Use smaller block_q, block_kv or block_kv_compute, a limit of at least {}, or 0 for no limit",
            needed));
}

}  // namespace meshreel
