// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/token_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "engine/base/error.h"

namespace meshreel::token_blocks_cases {
namespace {

constexpr TokenGrid wanGrid{.frames = 21, .rows = 30, .columns = 52};

std::array<std::int64_t, 3> placeOf(const TokenGrid& grid, std::int64_t token) {
    return {token / (grid.rows * grid.columns), token / grid.columns % grid.rows, token % grid.columns};
}

TEST(TokenBlocks, AWholeBlockOfAMortonOrderIsACube) {
    constexpr TokenGrid grid{.frames = 8, .rows = 12, .columns = 16};
    const TokenBlocks blocks = orderTokens(TokenOrder::Morton, grid, 0, grid.tokens(), 64);
    ASSERT_EQ(blocks.count(), grid.tokens() / 64);
    for (std::int64_t block = 0; block < blocks.count(); ++block)
        for (const int axis : {0, 1, 2}) {
            std::set<std::int64_t> extents;
            for (std::int64_t i = 0; i < 64; ++i)
                extents.insert(placeOf(grid, blocks.order[static_cast<std::size_t>(64 * block + i)])
                                   .at(static_cast<std::size_t>(axis)));
            EXPECT_EQ(extents.size(), 4U) << "block " << block << " axis " << axis;
            EXPECT_EQ(*extents.rbegin() - *extents.begin(), 3);
        }
}

TEST(TokenBlocks, TheCurveBeginsAlongColumnsThenRowsThenFrames) {
    constexpr TokenGrid grid{.frames = 2, .rows = 2, .columns = 2};
    const TokenBlocks blocks = orderTokens(TokenOrder::Morton, grid, 0, 8, 64);
    EXPECT_EQ(std::vector<std::int32_t>(blocks.order.begin(), blocks.order.end()),
              (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(TokenBlocks, EveryOrderHasEachTokenOnce) {
    for (const TokenOrder order : {TokenOrder::Morton, TokenOrder::Frames, TokenOrder::Places})
        for (const std::int64_t behind : {0, 100}) {
            const std::int64_t tokens = wanGrid.tokens() + behind;
            TokenBlocks blocks = orderTokens(order, wanGrid, 0, tokens, 64);
            ASSERT_EQ(blocks.tokens(), tokens);
            EXPECT_EQ(blocks.wholeBlocks, wanGrid.tokens() / 64);
            for (std::int64_t i = wanGrid.tokens(); i < tokens; ++i)
                ASSERT_EQ(blocks.order[static_cast<std::size_t>(i)], i) << "those behind the video stay last";
            std::ranges::sort(blocks.order);
            for (std::int64_t i = 0; i < tokens; ++i)
                ASSERT_EQ(blocks.order[static_cast<std::size_t>(i)], i);
        }
}

TEST(TokenBlocks, AShardHasItsOwnTokensInTheOrderOfTheWhole) {
    const TokenBlocks whole = orderTokens(TokenOrder::Morton, wanGrid, 0, wanGrid.tokens(), 64);
    for (int shard = 0; shard < 3; ++shard) {
        const std::int64_t begin = shard * wanGrid.tokens() / 3;
        const std::int64_t end = (shard + 1) * wanGrid.tokens() / 3;
        const TokenBlocks part = orderTokens(TokenOrder::Morton, wanGrid, begin, end, 64);
        std::vector<std::int32_t> expected;
        for (const std::int32_t token : whole.order)
            if (token >= begin && token < end)
                expected.push_back(static_cast<std::int32_t>(token - begin));
        EXPECT_EQ(std::vector<std::int32_t>(part.order.begin(), part.order.end()), expected);
        EXPECT_EQ(part.wholeBlocks, (end - begin) / 64);
    }
}

TEST(TokenBlocks, PlacesTakeNoShards) {
    EXPECT_THROW(static_cast<void>(orderTokens(TokenOrder::Places, wanGrid, 64, wanGrid.tokens(), 128)),
                 Error);
    const TokenBlocks places = orderTokens(TokenOrder::Places, wanGrid, 0, wanGrid.tokens(), 128);
    EXPECT_EQ(places.order[1], wanGrid.rows * wanGrid.columns) << "the same place of the next frame";
}

TEST(TokenBlocks, ASequenceWithoutTokensHasNoBlocks) {
    EXPECT_EQ(orderTokens(TokenOrder::Morton, wanGrid, 5, 5, 64).count(), 0);
    EXPECT_EQ(orderTokens(TokenOrder::Morton, {}, 0, 0, 64).count(), 0);
}

}  // namespace
}  // namespace meshreel::token_blocks_cases
