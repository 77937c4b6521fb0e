// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/transport.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/worker_pool.h"

namespace meshreel {
namespace {

constexpr auto floatBytes = static_cast<std::int64_t>(sizeof(float));

/// A block of `planes` × `rows` × `columns` floats with gaps between rows and planes, and its memory.
struct Grid {
    Grid(std::int64_t planeCount, std::int64_t rowCount, std::int64_t columnCount, std::int64_t gap)
        : planes(planeCount),
          rows(rowCount),
          columns(columnCount),
          rowStep(columns + gap),
          planeStep(rows * rowStep + gap),
          memory(static_cast<std::size_t>(planes * planeStep + gap), -1.0F) {}

    [[nodiscard]] Block block() {
        return {reinterpret_cast<std::byte*>(memory.data()),
                columns * floatBytes,
                rows,
                rowStep * floatBytes,
                planes,
                planeStep * floatBytes};
    }

    [[nodiscard]] float& at(std::int64_t index) {
        const std::int64_t plane = index / (rows * columns);
        const std::int64_t row = index / columns % rows;
        return memory[static_cast<std::size_t>(plane * planeStep + row * rowStep + index % columns)];
    }

    [[nodiscard]] std::int64_t size() const { return planes * rows * columns; }

    std::int64_t planes, rows, columns, rowStep, planeStep;
    std::vector<float> memory;
};

void expectCopied(Grid from, Grid to, WorkerPool& workers) {
    ASSERT_EQ(from.size(), to.size());
    for (std::int64_t i = 0; i < from.size(); ++i)
        from.at(i) = static_cast<float>(i);
    copyBlock(asConst(from.block()), to.block(), Combine::Replace, workers);
    copyBlock(asConst(from.block()), to.block(), Combine::AddFloats, workers);
    float untouched = 0;
    for (const float value : to.memory)
        untouched += value < 0 ? 1.0F : 0.0F;
    EXPECT_EQ(untouched, static_cast<float>(to.memory.size()) - static_cast<float>(to.size()));
    for (std::int64_t i = 0; i < to.size(); ++i)
        ASSERT_EQ(to.at(i), static_cast<float>(2 * i)) << i;
}

TEST(Block, CopiesBetweenAnyLayouts) {
    WorkerPool alone({.workers = 1});
    expectCopied({1, 1, 12, 0}, {1, 1, 12, 0}, alone);
    expectCopied({1, 3, 4, 2}, {1, 1, 12, 0}, alone);
    expectCopied({1, 1, 12, 0}, {2, 3, 2, 1}, alone);
    expectCopied({2, 3, 5, 3}, {2, 3, 5, 1}, alone);
    expectCopied({3, 5, 2, 1}, {1, 6, 5, 4}, alone);
    expectCopied({2, 2, 3, 0}, {1, 4, 3, 1}, alone);
}

TEST(Block, LargeCopiesAreSharedByATeam) {
    WorkerPool team({.workers = 3});
    expectCopied({7, 101, 463, 5}, {1, 707, 463, 0}, team);
    expectCopied({1, 1, 327341, 0}, {463, 7, 101, 3}, team);
}

TEST(Block, EmptyOnesNeedNoMemory) {
    copyBlock(ConstBlock{}, Block{});
}

TEST(Block, CountsItsBytes) {
    std::vector<float> values(6);
    EXPECT_EQ(toBlock(std::span(values)).bytes(), 24);
    EXPECT_EQ((Block{nullptr, 4, 3, 100, 2, 1000}.bytes()), 24);
}

}  // namespace
}  // namespace meshreel
