// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "engine/base/number_types.h"
#include "engine/kernels/tiles/tile_unit_amx.h"
#include "engine/kernels/tiles/tile_unit_avx512_bf16.h"
#include "engine/kernels/tiles/tile_unit_emulated.h"
#include "tests/support/instruction_emulation.h"

namespace meshreel {
namespace {

constexpr std::int64_t rowBytes = 64;
using Narrow = std::array<BFloat16, 512>;
using Sums = std::array<float, 256>;

// b holds pairs: element [k][column][half] is row 2k + half.
std::size_t pairAt(std::size_t row, std::size_t column) {
    return row / 2 * 32 + 2 * column + row % 2;
}

template <typename Unit>
Sums product(const Narrow& a, const Narrow& b, const Sums& before) {
    Unit unit;
    Sums after{};
    unit.template load<2>(before.data(), rowBytes);
    unit.template load<5>(a.data(), rowBytes);
    unit.template load<6>(b.data(), rowBytes);
    unit.template multiplyBf16<2, 5, 6>();
    unit.template store<2>(after.data(), rowBytes);
    return after;
}

Narrow randomTile(std::mt19937& generator) {
    std::normal_distribution<float> normal;
    Narrow tile;
    for (BFloat16& element : tile)
        element = toBFloat16(normal(generator));
    return tile;
}

TEST(TileUnit, MultipliesRowsWithPairsOfRows) {
    std::mt19937 generator(3);
    std::uniform_int_distribution<int> small(-8, 8);
    Narrow a;
    Narrow b;
    Sums before;
    for (Narrow* tile : {&a, &b})
        for (BFloat16& element : *tile)
            element = toBFloat16(static_cast<float>(small(generator)));
    for (float& element : before)
        element = static_cast<float>(small(generator));
    const Sums after = product<TileUnitEmulated>(a, b, before);
    for (std::size_t row = 0; row < 16; ++row)
        for (std::size_t column = 0; column < 16; ++column) {
            float expected = before[row * 16 + column];
            for (std::size_t k = 0; k < 32; ++k)
                expected += toFloat(a[row * 32 + k]) * toFloat(b[pairAt(k, column)]);
            ASSERT_EQ(after[row * 16 + column], expected);
        }
}

TEST(TileUnit, SumsTheHalvesOfPairsApart) {
    // 2^24 + 1 is no f32: the one is lost beside it in its own half, and seen in the other.
    Narrow a{};
    Narrow b{};
    for (std::size_t k : {0U, 2U, 3U})
        a[k] = toBFloat16(1.0F);
    b[pairAt(0, 0)] = toBFloat16(0x1p24F);
    b[pairAt(2, 0)] = toBFloat16(1.0F);
    b[pairAt(3, 0)] = toBFloat16(-0x1p24F);
    EXPECT_EQ(product<TileUnitEmulated>(a, b, {})[0], 0.0F);
    b[pairAt(2, 0)] = toBFloat16(0.0F);
    b[pairAt(3, 0)] = toBFloat16(1.0F);
    EXPECT_EQ(product<TileUnitEmulated>(a, b, {-0x1p24F})[0], 0.0F);
}

TEST(TileUnit, TakesSubnormalsForZero) {
    Narrow a{};
    Narrow b{};
    a[0] = BFloat16{0x0040};
    b[0] = toBFloat16(0x1p100F);
    EXPECT_EQ(product<TileUnitEmulated>(a, b, {})[0], 0.0F);
    EXPECT_EQ(product<TileUnitEmulated>({}, {}, {std::numeric_limits<float>::denorm_min()})[0], 0.0F);
}

TEST(TileUnit, IsWhatInstructionsDo) {
    if (!testing::bf16InstructionsAtHand())
        GTEST_SKIP() << "this CPU has not AVX-512, beside which the instructions are emulated";
    std::mt19937 generator(4);
    std::normal_distribution<float> normal;
    for (int repeat = 0; repeat < 100; ++repeat) {
        const Narrow a = randomTile(generator);
        const Narrow b = randomTile(generator);
        Sums before;
        for (float& element : before)
            element = normal(generator);
        const Sums expected = product<TileUnitEmulated>(a, b, before);
        const Sums inTiles = product<TileUnitAmx>(a, b, before);
        const Sums inVectors = product<TileUnitAvx512Bf16>(a, b, before);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_NEAR(inTiles[i], expected[i], 1e-5F) << i;
            ASSERT_NEAR(inVectors[i], expected[i], 1e-5F) << i;
        }
    }
}

template <typename Unit>
std::array<std::int32_t, 256> byteProduct(const std::array<std::int8_t, 1024>& a,
                                          const std::array<std::int8_t, 1024>& b,
                                          const std::array<std::int32_t, 256>& before) {
    Unit unit;
    std::array<std::int32_t, 256> after{};
    unit.template load<1>(before.data(), rowBytes);
    unit.template load<4>(a.data(), rowBytes);
    unit.template loadPassing<7>(b.data(), rowBytes);
    unit.template multiplyInt8<1, 4, 7>();
    unit.template store<1>(after.data(), rowBytes);
    return after;
}

TEST(TileUnit, MultipliesRowsOfBytesWithFoursOfRows) {
    std::mt19937 generator(5);
    std::uniform_int_distribution<int> any(-128, 127);
    std::array<std::int8_t, 1024> a;
    std::array<std::int8_t, 1024> b;
    std::array<std::int32_t, 256> before;
    for (auto* tile : {&a, &b})
        for (std::int8_t& element : *tile)
            element = static_cast<std::int8_t>(any(generator));
    for (std::int32_t& element : before)
        element = any(generator);
    const auto after = byteProduct<TileUnitEmulated>(a, b, before);
    for (std::size_t row = 0; row < 16; ++row)
        for (std::size_t column = 0; column < 16; ++column) {
            std::int32_t expected = before[row * 16 + column];
            for (std::size_t k = 0; k < 64; ++k)
                expected += a[row * 64 + k] * b[k / 4 * 64 + 4 * column + k % 4];
            ASSERT_EQ(after[row * 16 + column], expected);
        }
    if (!testing::bf16InstructionsAtHand())
        GTEST_SKIP() << "this CPU has not AVX-512, beside which the instructions are emulated";
    EXPECT_EQ(byteProduct<TileUnitAmx>(a, b, before), after);
}

TEST(TileUnit, ReadsAndWritesRowsThatLieApart) {
    if (!testing::bf16InstructionsAtHand())
        GTEST_SKIP() << "this CPU has not AVX-512, beside which the instructions are emulated";
    constexpr std::size_t stride = 80;  // bytes
    std::array<std::uint8_t, 16 * stride> from{};
    for (std::size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<std::uint8_t>(i * 7 + 1);
    std::array<std::uint8_t, 16 * stride> to{};
    TileUnitAmx unit;
    unit.load<7>(from.data(), stride);
    unit.store<7>(to.data(), stride);
    for (std::size_t i = 0; i < from.size(); ++i)
        ASSERT_EQ(to[i], i % stride < rowBytes ? from[i] : 0) << i;
    unit.zero<7>();
    unit.store<7>(to.data(), stride);
    EXPECT_EQ(to[0], 0);
    EXPECT_EQ(to[15 * stride + 63], 0);
}

TEST(TileUnit, IsEmulatedWhereTheCpuHasNoTiles) {
    if (testing::cpuHasBf16Instructions() || !testing::bf16InstructionsAtHand())
        GTEST_SKIP() << "nothing is emulated here";
    const std::int64_t before = testing::emulatedInstructions();
    product<TileUnitAmx>({}, {}, {});
    EXPECT_EQ(testing::emulatedInstructions() - before, 7);  // as many as product() and the unit's life give
}

}  // namespace
}  // namespace meshreel
