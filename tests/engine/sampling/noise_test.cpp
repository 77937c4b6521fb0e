// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace meshreel {
namespace {

constexpr std::uint64_t seed = 0x1234'5678'9abc'def0;

std::vector<float> noiseValues(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

/// Known answers of the Random123 distribution (kat_vectors, philox4x32 10 rounds).
TEST(Philox, GivesTheKnownAnswers) {
    using Block = std::array<std::uint32_t, 4>;
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterNormal, IsTheSameHoweverItIsSplit) {
    constexpr std::int64_t count = 103;
    const std::vector<float> whole = noiseValues(counterNormal(seed, {count}));
    for (const std::int64_t part : {1, 2, 3, 4, 7, 50}) {
        std::vector<float> joined;
        for (std::int64_t first = 0; first < count; first += part) {
            const std::vector<float> piece =
                noiseValues(counterNormal(seed, {std::min(part, count - first)}, first));
            joined.insert(joined.end(), piece.begin(), piece.end());
        }
        EXPECT_EQ(joined, whole) << "in parts of " << part;
    }
    EXPECT_EQ(noiseValues(counterNormal(seed, {103, 1})), whole);
}

TEST(CounterNormal, KeepsCountingPastThirtyTwoBits) {
    constexpr std::int64_t far = std::int64_t{4} << 32;
    EXPECT_NE(noiseValues(counterNormal(seed, {8}, far)), noiseValues(counterNormal(seed, {8}, 0)));
}

TEST(CounterNormal, BothHalvesOfTheSeedCount) {
    const std::vector<float> one = noiseValues(counterNormal(1, {8}));
    EXPECT_NE(noiseValues(counterNormal(2, {8})), one);
    EXPECT_NE(noiseValues(counterNormal(1 + (std::uint64_t{1} << 32), {8})), one);
}

TEST(CounterNormal, HasTheMomentsOfANormalDistribution) {
    constexpr std::int64_t count = 1 << 20;
    const std::vector<float> values = noiseValues(counterNormal(seed, {count}));
    double sum = 0;
    double squares = 0;
    double cubes = 0;
    double fourths = 0;
    double neighbours = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = values[i];
        ASSERT_TRUE(std::isfinite(x));
        sum += x;
        squares += x * x;
        cubes += x * x * x;
        fourths += x * x * x * x;
        neighbours += x * values[(i + 1) % values.size()];
    }
    // Five standard errors of each estimate.
    const double unit = 5.0 / std::sqrt(static_cast<double>(count));
    const auto n = static_cast<double>(count);
    EXPECT_NEAR(sum / n, 0.0, unit);
    EXPECT_NEAR(squares / n, 1.0, unit * std::sqrt(2.0));
    EXPECT_NEAR(cubes / n, 0.0, unit * std::sqrt(15.0));
    EXPECT_NEAR(fourths / n, 3.0, unit * std::sqrt(96.0));
    EXPECT_NEAR(neighbours / n, 0.0, unit);
    const auto beyondTwo = std::ranges::count_if(values, [](float x) { return std::abs(x) > 2.0F; });
    EXPECT_NEAR(static_cast<double>(beyondTwo) / n, 0.0455, unit * std::sqrt(0.0455));
}

TEST(InitialLatents, FollowTheChosenKind) {
    for (const NoiseKindRow& row : noiseKinds())
        EXPECT_EQ(findNoiseKind(row.name)->kind, row.kind);
    EXPECT_EQ(findNoiseKind("perlin"), nullptr);
    const Shape shape{1, 4, 2, 3, 3};
    EXPECT_EQ(noiseValues(initialLatents(NoiseKind::Counter, 7, shape)),
              noiseValues(counterNormal(7, shape)));
    EXPECT_NE(noiseValues(initialLatents(NoiseKind::TorchCpu, 7, shape)),
              noiseValues(counterNormal(7, shape)));
}

}  // namespace
}  // namespace meshreel
