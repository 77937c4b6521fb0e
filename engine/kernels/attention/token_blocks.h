// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/rows/rope.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

/// The tokens that a device attends to at a time, in the order in which they are cut into blocks of as many
/// tokens each; the last one may be shorter.
struct TokenBlocks {
    ScratchVector<std::int32_t> order = {};  ///< place of each token where the tokens lie
    std::int64_t blockTokens = 64;
    std::int64_t wholeBlocks = 0;  ///< the first ones, which are full and have tokens of the video alone:
                                   ///< only these may be left out

    [[nodiscard]] std::int64_t tokens() const { return static_cast<std::int64_t>(order.size()); }
    [[nodiscard]] std::int64_t count() const { return (tokens() + blockTokens - 1) / blockTokens; }
    [[nodiscard]] std::int64_t sizeOf(std::int64_t block) const {
        return std::min(blockTokens, tokens() - block * blockTokens);
    }
};

/// Returns the tokens [begin, end) of a sequence that begins with a video's, in that order and counted from
/// `begin`; those behind the video's come last, as they stand. TokenOrder::Places takes whole sequences only.
/// Throws Error{Internal} for a part of one.
TokenBlocks orderTokens(TokenOrder order, const TokenGrid& video, std::int64_t begin, std::int64_t end,
                        std::int64_t blockTokens);

}  // namespace meshreel
