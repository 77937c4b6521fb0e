// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/block_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

template <typename Block>
class BlockPacking : public ::testing::Test {};

using Blocks =
    ::testing::Types<BlockQ4_0, BlockQ4_1, BlockQ5_0, BlockQ5_1, BlockQ8_0, BlockQ4_K, BlockQ5_K, BlockQ6_K>;
TYPED_TEST_SUITE(BlockPacking, Blocks);

/// Root of the mean square of the differences, by that of standard normal numbers: one half of a step is
/// spread over about three deviations to each side.
template <typename Block>
constexpr double bound = 0.0;
template <>
constexpr double bound<BlockQ4_0> = 0.13;
template <>
constexpr double bound<BlockQ4_1> = 0.11;
template <>
constexpr double bound<BlockQ5_0> = 0.065;
template <>
constexpr double bound<BlockQ5_1> = 0.055;
template <>
constexpr double bound<BlockQ8_0> = 0.009;
template <>
constexpr double bound<BlockQ4_K> = 0.12;
template <>
constexpr double bound<BlockQ5_K> = 0.06;
template <>
constexpr double bound<BlockQ6_K> = 0.03;

TYPED_TEST(BlockPacking, NormalNumbersComeBackWithinTheirSteps) {
    double error = 0;
    double size = 0;
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const Tensor values = testing::randomTensor({static_cast<std::int64_t>(TypeParam::elements)}, seed);
        const auto wanted = values.data<float>();
        TypeParam block;
        packBlock(wanted.data(), block);
        std::array<float, TypeParam::elements> found{};
        unpackBlock(block, found.data());
        for (std::size_t i = 0; i < found.size(); ++i) {
            error += std::pow(static_cast<double>(found[i] - wanted[i]), 2);
            size += std::pow(static_cast<double>(wanted[i]), 2);
        }
    }
    EXPECT_LE(std::sqrt(error / size), bound<TypeParam>);
}

TYPED_TEST(BlockPacking, ZerosStayZerosAndConstantsStayNear) {
    std::array<float, TypeParam::elements> values{};
    std::array<float, TypeParam::elements> found{};
    TypeParam block;
    packBlock(values.data(), block);
    unpackBlock(block, found.data());
    EXPECT_EQ(found, values);
    for (const float constant : {-3.0F, 0.25F, 0.05F}) {
        values.fill(constant);
        packBlock(values.data(), block);
        unpackBlock(block, found.data());
        for (const float value : found)
            EXPECT_NEAR(value, constant, std::abs(constant) * 0.02F);
    }
}

}  // namespace
}  // namespace meshreel
