// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/flash_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {

namespace {

void requireNotNegative(std::int64_t size, std::string_view key) {
    if (size < 0)
        throw Error(
            ErrorKind::Project, fmt::format("A block of {} rows is impossible", size),
            fmt::format("flash_block_sizes.{}", key),
            fmt::format("Use a positive number, or 0 for the default of {}", FlashBlockSizes::defaultSize));
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
    requireNotNegative(sizes.blockQ, "block_q");
    requireNotNegative(sizes.blockKv, "block_kv");
    requireNotNegative(sizes.blockKvCompute, "block_kv_compute");
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
    return resolved;
}

}  // namespace meshreel
