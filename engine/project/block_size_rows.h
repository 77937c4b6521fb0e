// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "engine/base/error.h"
#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

/// Everything that is known about one of the FlashBlockSizes. Project keys, validation, plans, records, the
/// command line and the Studio read the rows: adding a size takes a member, a row and kernel support.
struct BlockSizeRow {
    std::string_view key;  ///< project key: "flash_block_sizes.block_q"
    std::int64_t FlashBlockSizes::*member;
    bool searched = false;  ///< it cuts the sequence: 0 selects what suits the caches, and a block-size
                            ///< search writes it
    bool basic = false;     ///< what most people ask for
    std::int64_t minimum = 0;
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    std::string_view title;                     ///< short label for people
    std::string_view help;                      ///< one sentence
    std::string_view unit;                      ///< unit of the number
    std::string_view automatic = {};            ///< as in ProjectKey: what 0 stands for
    Sentence (*impossible)(std::int64_t size);  ///< what is wrong with a negative one
    Sentence (*legal)(std::int64_t standard);   ///< what to use instead; `standard` is the default

    /// "block_q".
    [[nodiscard]] constexpr std::string_view name() const { return key.substr(key.find('.') + 1); }
};

/// Returns all sizes, in the order of FlashBlockSizes.
std::span<const BlockSizeRow> blockSizeRows();

}  // namespace meshreel
