// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/key_choices.h"
#include "engine/project/keys/section_keys.h"

namespace meshreel {

namespace {

constexpr IntegerRange blockRange{.minimum = 0, .maximum = 1 << 20};

}  // namespace

std::vector<ProjectKey> attentionKeys() {
    return {
        {.name = "attention",
         .member = &Project::attention,
         .section = "Attention",
         .title = "Attention",
         .help = "How attention is computed and spread over devices.",
         .choices = attentionChoices,
         .level = KeyLevel::Basic},
        {.name = "flash_min_seq_length",
         .member = &Project::flashMinSeqLength,
         .section = "Attention",
         .title = "Flash from length",
         .help = "Flash attention gives way to dot_product when a sequence is shorter than this.",
         .unit = "tokens",
         .range = IntegerRange{.minimum = 0}},
        {.name = "flash_block_sizes.block_q",
         .member = &Project::blockQ,
         .section = "Attention",
         .title = "Query block",
         .help = "Query rows of one tile of flash attention; 0 takes the kernel's own.",
         .unit = "rows",
         .range = blockRange,
         .level = KeyLevel::Basic},
        {.name = "flash_block_sizes.block_kv",
         .member = &Project::blockKv,
         .section = "Attention",
         .title = "Key block",
         .help = "Key and value rows that are loaded together; 0 takes the kernel's own.",
         .unit = "rows",
         .range = blockRange,
         .level = KeyLevel::Basic},
        {.name = "flash_block_sizes.block_kv_compute",
         .member = &Project::blockKvCompute,
         .section = "Attention",
         .title = "Key block per product",
         .help =
             "Key rows of one matrix product inside a key block, which it divides; 0 takes the kernel's own.",
         .unit = "rows",
         .range = blockRange,
         .level = KeyLevel::Basic},
        {.name = "flash_block_sizes.block_kv_compute_in",
         .member = &Project::blockKvComputeIn,
         .section = "Attention",
         .title = "Key block per softmax",
         .help = "Key rows of one softmax step of the custom kernels; 0 takes the kernel's own.",
         .unit = "rows",
         .range = blockRange},
        {.name = "flash_block_sizes.heads_per_tile",
         .member = &Project::headsPerTile,
         .section = "Attention",
         .title = "Heads per tile",
         .help = "Heads that the custom kernels handle together.",
         .unit = "heads",
         .range = IntegerRange{.minimum = 1, .maximum = 1024}},
        {.name = "flash_block_sizes.vmem_limit_bytes",
         .member = &Project::vmemLimitBytes,
         .section = "Attention",
         .title = "Scratch limit",
         .help = "Scratch memory that a tile of the custom kernels may use; 0 sets no limit.",
         .unit = "bytes",
         .range = IntegerRange{.minimum = 0}},
        {.name = "use_base2_exp",
         .member = &Project::useBase2Exp,
         .section = "Attention",
         .title = "Base-2 exponential",
         .help = "Lets the softmax use powers of 2 with rescaled scores; results agree within rounding."},
        {.name = "mask_padding_tokens",
         .member = &Project::maskPaddingTokens,
         .section = "Attention",
         .title = "Mask padding",
         .help = "Keeps the rows that fill up a block or a device's share out of attention.",
         .inactive = "padding is never attended"},
    };
}

}  // namespace meshreel
