// SPDX-License-Identifier: GPL-3.0-or-later
// How tokens of a source turn. `meshreel verify` compares it with upstream's tables.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kernels/rows/rope.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

std::vector<float> valuesOf(const Tensor& table) {
    return {table.data<float>().begin(), table.data<float>().end()};
}

TEST(SourceRotation, AddsAnAngleToEachPairWhateverThePlace) {
    constexpr std::int64_t headDim = 12;
    const TokenGrid plain{.frames = 2, .rows = 3, .columns = 5, .firstFrame = 1};
    TokenGrid third = plain;
    third.source = 3;
    const RotaryTable before = rotaryTable(plain, headDim);
    const RotaryTable after = rotaryTable(third, headDim);
    const auto cos = valuesOf(before.cos);
    const auto sin = valuesOf(before.sin);
    for (std::size_t i = 0; i < cos.size(); ++i) {
        const auto pair = static_cast<double>(i % (headDim / 2));
        const double angle = 3 * std::pow(10000.0, -2 * pair / headDim);
        const double c = cos[i];
        const double s = sin[i];
        ASSERT_NEAR(valuesOf(after.cos)[i], c * std::cos(angle) - s * std::sin(angle), 1e-6) << i;
        ASSERT_NEAR(valuesOf(after.sin)[i], s * std::cos(angle) + c * std::sin(angle), 1e-6) << i;
    }
}

TEST(SourceRotation, IsOfEachGridByItself) {
    const std::array<TokenGrid, 3> grids{{{.frames = 1, .rows = 2, .columns = 2},
                                          {.frames = 1, .rows = 2, .columns = 2, .source = 1},
                                          {.frames = 1, .rows = 2, .columns = 2, .source = 2}}};
    const RotaryTable all = rotaryTable(grids, 12, 0, 12);
    EXPECT_EQ(valuesOf(all.cos.slice(0, 4)), valuesOf(rotaryTable(grids[0], 12).cos)) << "the video's own";
    EXPECT_EQ(valuesOf(all.sin.slice(8, 12)), valuesOf(rotaryTable(grids[2], 12).sin));
    EXPECT_NE(valuesOf(all.sin.slice(4, 8)), valuesOf(all.sin.slice(8, 12)));
}

}  // namespace
}  // namespace meshreel
