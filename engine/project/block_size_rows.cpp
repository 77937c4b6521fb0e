// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/block_size_rows.h"

#include <array>
#include <string_view>

namespace meshreel {

namespace {

/// A block: of queries or of keys.
Sentence impossibleBlock(std::int64_t size) {
    return sentence("A block of {} is impossible", size);
}

Sentence zeroForDefault(std::int64_t standard) {
    return sentence("Use a positive number, or 0 for the default of {}", standard);
}

constexpr std::int64_t largestBlock = 1 << 20;
constexpr std::string_view automaticSize = "automatic";

constexpr std::array sizeRows{
    BlockSizeRow{.key = "flash_block_sizes.block_q",
                 .member = &FlashBlockSizes::blockQ,
                 .searched = true,
                 .basic = true,
                 .maximum = largestBlock,
                 .title = "Query block",
                 .help = "Query rows of one tile of flash attention; 0 takes the kernel's own.",
                 .unit = "rows",
                 .automatic = automaticSize,
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
                 .automatic = automaticSize,
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
                 .automatic = automaticSize,
                 .impossible = impossibleBlock,
                 .legal = zeroForDefault},
    BlockSizeRow{.key = "flash_block_sizes.block_kv_compute_in",
                 .member = &FlashBlockSizes::blockKvComputeIn,
                 .searched = true,
                 .maximum = largestBlock,
                 .title = "Key block per softmax",
                 .help = "Key rows of one softmax step of the custom kernels; 0 takes the kernel's own.",
                 .unit = "rows",
                 .automatic = automaticSize,
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
        .automatic = "no limit",
        .impossible = [](std::int64_t size) { return sentence("A limit of {} bytes is impossible", size); },
        .legal = [](std::int64_t) { return sentence("Use a positive number, or 0 for no limit"); }},
};

static_assert(sizeRows.size() * sizeof(std::int64_t) == sizeof(FlashBlockSizes), "each size has a row");

}  // namespace

std::span<const BlockSizeRow> blockSizeRows() {
    return sizeRows;
}

}  // namespace meshreel
