// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/rope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

TEST(Rope, DividesTheHeadDimensionAsWanDoes) {
    using ::testing::ElementsAre;
    EXPECT_THAT(rotaryAxes(128), ElementsAre(44, 42, 42));
    EXPECT_THAT(rotaryAxes(32), ElementsAre(12, 10, 10));
    EXPECT_THAT(rotaryAxes(40), ElementsAre(16, 12, 12));
    EXPECT_THROW(rotaryAxes(33), Error);
}

TEST(Rope, TurnsEachPairByItsPosition) {
    const TokenGrid grid{.frames = 3, .rows = 2, .columns = 4};
    const RotaryTable table = rotaryTable(grid, 12);
    const Tensor x = testing::randomTensor({2, grid.tokens(), 2, 12}, 5);
    Tensor turned = x.clone();
    WorkerPool pool({.workers = 2});
    applyRotary(Execution{pool, {}}, table, 2, turned.data<float>());

    // Token (frame 2, row 1, column 3) of the second batch element, second head; head dimension 12 = 4 + 4
    // + 4.
    const std::int64_t token = (2 * 2 + 1) * 4 + 3;
    const std::size_t first = static_cast<std::size_t>(((grid.tokens() + token) * 2 + 1) * 12);
    const double positions[] = {2.0, 2.0, 1.0, 1.0, 3.0, 3.0};
    for (std::size_t pair = 0; pair < 6; ++pair) {
        const double angle = positions[pair] * (pair % 2 == 0 ? 1.0 : std::pow(10000.0, -0.5));
        const double a = static_cast<double>(x.data<float>()[first + 2 * pair]);
        const double b = static_cast<double>(x.data<float>()[first + 2 * pair + 1]);
        EXPECT_NEAR(turned.data<float>()[first + 2 * pair], a * std::cos(angle) - b * std::sin(angle), 1e-6);
        EXPECT_NEAR(turned.data<float>()[first + 2 * pair + 1], a * std::sin(angle) + b * std::cos(angle),
                    1e-6);
    }
}

TEST(Rope, APartOfTheTableIsThosePartsOfTheWhole) {
    const TokenGrid grid{.frames = 3, .rows = 2, .columns = 5};
    const RotaryTable whole = rotaryTable(grid, 12);
    for (const auto& [first, end] :
         {std::pair{0, 30}, std::pair{7, 19}, std::pair{29, 30}, std::pair{4, 4}}) {
        const RotaryTable part = rotaryTable(grid, 12, first, end);
        EXPECT_THAT(part.cos.data<float>(),
                    ::testing::ElementsAreArray(whole.cos.slice(first, end).data<float>()));
        EXPECT_THAT(part.sin.data<float>(),
                    ::testing::ElementsAreArray(whole.sin.slice(first, end).data<float>()));
    }
    WorkerPool pool({.workers = 1});
    applyRotary(Execution{pool, {}}, rotaryTable(grid, 12, 4, 4), 2, {});
}

TEST(Rope, OfGridsBehindEachOtherIsThatOfEachAtItsPlaceInTime) {
    const std::array<TokenGrid, 3> grids{{{.frames = 2, .rows = 2, .columns = 3},
                                          {.frames = 1, .rows = 1, .columns = 5, .firstFrame = 4},
                                          {.frames = 2, .rows = 3, .columns = 1}}};
    const RotaryTable all = rotaryTable(grids, 12, 0, 23);
    const auto valuesOf = [](const Tensor& part) {
        return std::vector<float>(part.data<float>().begin(), part.data<float>().end());
    };
    EXPECT_EQ(valuesOf(all.cos.slice(0, 12)), valuesOf(rotaryTable(grids[0], 12).cos));
    const RotaryTable longer = rotaryTable({.frames = 5, .rows = 1, .columns = 5}, 12);
    EXPECT_EQ(valuesOf(all.sin.slice(12, 17)), valuesOf(longer.sin.slice(20, 25))) << "of frame 4";
    EXPECT_EQ(valuesOf(all.sin.slice(17, 23)), valuesOf(rotaryTable(grids[2], 12).sin));
    for (const auto& [first, end] :
         {std::pair{10, 13}, std::pair{12, 17}, std::pair{14, 20}, std::pair{23, 23}})
        EXPECT_EQ(valuesOf(rotaryTable(grids, 12, first, end).cos), valuesOf(all.cos.slice(first, end)));
}

TEST(Rope, ScoresDependOnDistanceAlone) {
    const TokenGrid grid{.frames = 1, .rows = 1, .columns = 6};
    const RotaryTable table = rotaryTable(grid, 24);
    Tensor q = Tensor::empty({6, 1, 24});
    Tensor k = Tensor::empty({6, 1, 24});
    const Tensor query = testing::randomTensor({24}, 6);
    const Tensor key = testing::randomTensor({24}, 7);
    for (std::size_t i = 0; i < q.data<float>().size(); ++i) {
        q.data<float>()[i] = query.data<float>()[i % 24];
        k.data<float>()[i] = key.data<float>()[i % 24];
    }
    WorkerPool pool({.workers = 1});
    applyRotary(Execution{pool, {}}, table, 1, q.data<float>());
    applyRotary(Execution{pool, {}}, table, 1, k.data<float>());
    const auto score = [&](std::size_t i, std::size_t j) {
        double sum = 0.0;
        for (std::size_t d = 0; d < 24; ++d)
            sum += static_cast<double>(q.data<float>()[i * 24 + d]) *
                   static_cast<double>(k.data<float>()[j * 24 + d]);
        return sum;
    };
    EXPECT_NEAR(score(0, 2), score(3, 5), 1e-5);
    EXPECT_GT(std::abs(score(0, 2) - score(0, 4)), 1e-3);
}

}  // namespace
}  // namespace meshreel
