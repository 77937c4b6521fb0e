// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/weights/formats/quantised_blocks.h"
#include "engine/weights/formats/stored_type.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using Bytes = std::vector<std::uint8_t>;

float halfAt(const Bytes& bytes, std::size_t at) {
    return toFloat(Half{static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8)});
}

int bitAt(const Bytes& bytes, std::size_t at, std::size_t bit) {
    return bytes[at + bit / 8] >> (bit % 8) & 1;
}

/// Six bits of a 12-byte table of eight scales and eight minimums, read bit by bit: which bit of which byte
/// each comes from is spelled out as the format's description does.
int sixBits(const Bytes& bytes, std::size_t table, std::size_t group, bool minimum) {
    int value = 0;
    for (std::size_t bit = 0; bit < 6; ++bit) {
        std::size_t byte = 0;
        std::size_t place = bit;
        if (group < 4) {
            byte = minimum ? group + 4 : group;
        } else if (bit < 4) {
            byte = group + 4;
            place = minimum ? bit + 4 : bit;
        } else {
            byte = minimum ? group : group - 4;
            place = bit + 2;
        }
        value |= (bytes[table + byte] >> place & 1) << bit;
    }
    return value;
}

constexpr std::array<float, 16> unevenSteps = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

/// Element i of a block by the definition of its type, one bit at a time.
float slowElement(StoredType type, const Bytes& b, std::size_t i) {
    const auto nibble32 = [&](std::size_t at) { return i < 16 ? b[at + i] & 15 : b[at + i - 16] >> 4; };
    const auto nibble256 = [&](std::size_t at) {
        const int byte = b[at + i / 64 * 32 + i % 32];
        return i % 64 < 32 ? byte & 15 : byte >> 4;
    };
    const auto twoBits = [&](std::size_t at) {
        return b[at + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
    };
    const auto grouped = [&](int q) {
        const auto scale = static_cast<float>(sixBits(b, 4, i / 32, false));
        const auto minimum = static_cast<float>(sixBits(b, 4, i / 32, true));
        return halfAt(b, 0) * scale * static_cast<float>(q) - halfAt(b, 2) * minimum;
    };
    switch (type) {
        case StoredType::Q4_0:
            return halfAt(b, 0) * static_cast<float>(nibble32(2) - 8);
        case StoredType::Q4_1:
            return halfAt(b, 0) * static_cast<float>(nibble32(4)) + halfAt(b, 2);
        case StoredType::Q5_0:
            return halfAt(b, 0) * static_cast<float>(nibble32(6) + 16 * bitAt(b, 2, i) - 16);
        case StoredType::Q5_1:
            return halfAt(b, 0) * static_cast<float>(nibble32(8) + 16 * bitAt(b, 4, i)) + halfAt(b, 2);
        case StoredType::Q8_0:
            return halfAt(b, 0) * static_cast<float>(static_cast<std::int8_t>(b[2 + i]));
        case StoredType::Q4_K:
            return grouped(nibble256(16));
        case StoredType::Q5_K:
            return grouped(nibble256(48) + 16 * (b[16 + i % 32] >> (i / 32) & 1));
        case StoredType::Q6_K: {
            const int low = b[i / 128 * 64 + i % 64] >> (i % 128 < 64 ? 0 : 4) & 15;
            const int high = b[128 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
            const auto scale = static_cast<float>(static_cast<std::int8_t>(b[192 + i / 16]));
            return halfAt(b, 208) * scale * static_cast<float>(low + 16 * high - 32);
        }
        case StoredType::Q2_K:
            return halfAt(b, 80) * static_cast<float>(b[i / 16] & 15) * static_cast<float>(twoBits(16)) -
                   halfAt(b, 82) * static_cast<float>(b[i / 16] >> 4);
        case StoredType::Q3_K: {
            const int scale = (b[96 + i / 16 % 8] >> (i < 128 ? 0 : 4) & 15) |
                              (b[104 + i / 16 % 4] >> (i / 64 * 2) & 3) << 4;
            const int third = b[i % 32] >> (i / 32) & 1;
            return halfAt(b, 108) * static_cast<float>(scale - 32) *
                   static_cast<float>(twoBits(32) + 4 * third - 4);
        }
        case StoredType::IQ4_NL:
            return halfAt(b, 0) * unevenSteps[static_cast<std::size_t>(nibble32(2))];
        case StoredType::IQ4_XS: {
            const std::size_t at = 8 + i / 32 * 16;
            const int q = i % 32 < 16 ? b[at + i % 32] & 15 : b[at + i % 32 - 16] >> 4;
            const int scale =
                (b[4 + i / 64] >> (i % 64 < 32 ? 0 : 4) & 15) | ((b[2] | b[3] << 8) >> (i / 32 * 2) & 3) << 4;
            return halfAt(b, 0) * static_cast<float>(scale - 32) * unevenSteps[static_cast<std::size_t>(q)];
        }
        default:
            ADD_FAILURE();
            return 0;
    }
}

/// Where a block's halves lie; random bits there would often be infinite.
std::vector<std::size_t> halvesOf(StoredType type) {
    switch (type) {
        case StoredType::Q4_1:
        case StoredType::Q5_1:
        case StoredType::Q4_K:
        case StoredType::Q5_K:
            return {0, 2};
        case StoredType::Q6_K:
            return {208};
        case StoredType::Q2_K:
            return {80, 82};
        case StoredType::Q3_K:
            return {108};
        default:
            return {0};
    }
}

class QuantisedBlocks : public ::testing::TestWithParam<StoredType> {};

TEST_P(QuantisedBlocks, UnpackAsDefined) {
    const StoredTypeInfo& info = storedTypeInfo(GetParam());
    constexpr std::size_t count = 50;
    std::mt19937 random(7);
    Bytes bytes;
    for (std::size_t block = 0; block < count; ++block) {
        const std::size_t begin = bytes.size();
        for (std::size_t i = 0; i < info.blockBytes; ++i)
            bytes.push_back(static_cast<std::uint8_t>(random()));
        for (const std::size_t at : halvesOf(GetParam())) {
            const Half half = toHalf(std::uniform_real_distribution<float>(-1, 1)(random));
            bytes[begin + at] = static_cast<std::uint8_t>(half.bits & 0xFF);
            bytes[begin + at + 1] = static_cast<std::uint8_t>(half.bits >> 8);
        }
    }
    std::vector<float> out(count * info.blockElements);
    info.unpack(std::as_bytes(std::span(bytes)), out);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto begin =
            bytes.begin() + static_cast<std::ptrdiff_t>(i / info.blockElements * info.blockBytes);
        const Bytes block(begin, begin + static_cast<std::ptrdiff_t>(info.blockBytes));
        ASSERT_FLOAT_EQ(out[i], slowElement(GetParam(), block, i % info.blockElements)) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, QuantisedBlocks,
                         ::testing::Values(StoredType::Q4_0, StoredType::Q4_1, StoredType::Q5_0,
                                           StoredType::Q5_1, StoredType::Q8_0, StoredType::Q4_K,
                                           StoredType::Q5_K, StoredType::Q6_K, StoredType::Q2_K,
                                           StoredType::Q3_K, StoredType::IQ4_NL, StoredType::IQ4_XS),
                         [](const auto& type) { return std::string(storedTypeInfo(type.param).name); });

const Half one = toHalf(1.0F);
const Half two = toHalf(2.0F);

TEST(QuantisedBlocksByHand, EightBits) {
    BlockQ8_0 block{.scale = two, .values = {}};
    block.values[0] = -128;
    block.values[31] = 127;
    std::vector<float> out(32);
    unpackBlock(block, out.data());
    EXPECT_EQ(out[0], -256.0F);
    EXPECT_EQ(out[1], 0.0F);
    EXPECT_EQ(out[31], 254.0F);
}

TEST(QuantisedBlocksByHand, FourAndFiveBits) {
    std::vector<float> out(32);
    BlockQ4_0 four{.scale = two, .nibbles = {}};
    four.nibbles[0] = 0xF1;  // element 0: 1, element 16: 15
    unpackBlock(four, out.data());
    EXPECT_EQ(out[0], -14.0F);
    EXPECT_EQ(out[16], 14.0F);
    EXPECT_EQ(out[1], -16.0F);

    BlockQ5_1 five{.scale = two, .minimum = one, .highBits = {0x01, 0, 0x01, 0}, .nibbles = {}};
    five.nibbles[0] = 0x21;
    unpackBlock(five, out.data());
    EXPECT_EQ(out[0], 2 * 17.0F + 1);
    EXPECT_EQ(out[16], 2 * 18.0F + 1);
    EXPECT_EQ(out[31], 1.0F);
}

TEST(QuantisedBlocksByHand, SixBits) {
    BlockQ6_K block{.nibbles = {}, .highPairs = {}, .scales = {}, .scale = two};
    block.scales.fill(1);
    block.scales[15] = -3;
    block.nibbles[127] = 0xF0;   // element 255: low bits 15
    block.highPairs[63] = 0xC0;  // and high bits 3: 63 - 32
    std::vector<float> out(256);
    unpackBlock(block, out.data());
    EXPECT_EQ(out[0], -64.0F);
    EXPECT_EQ(out[255], 2.0F * -3 * 31);
    EXPECT_EQ(out[254], 2.0F * -3 * -32);
}

TEST(QuantisedBlocksByHand, ScalesOfGroups) {
    BlockQ4_K block{.scale = one, .minimum = one, .scales = {}, .nibbles = {}};
    block.scales[0] = 0x80 | 5;  // group 0: scale 5; group 4: scale gets 2 · 16
    block.scales[4] = 0x40 | 7;  // group 0: minimum 7; group 4: minimum gets 1 · 16
    block.scales[8] = 0x93;      // group 4: scale 3, minimum 9
    block.nibbles[0] = 0x02;     // group 0, element 0
    block.nibbles[64] = 0x04;    // group 4, element 0
    std::vector<float> out(256);
    unpackBlock(block, out.data());
    EXPECT_EQ(out[0], 5 * 2.0F - 7);
    EXPECT_EQ(out[1], -7.0F);
    EXPECT_EQ(out[128], 35 * 4.0F - 25);
    EXPECT_EQ(out[32], 0.0F);
}

template <typename Block>
class BlockPacking : public ::testing::Test {};

using Blocks = ::testing::Types<BlockQ4_0, BlockQ4_1, BlockQ5_0, BlockQ5_1, BlockQ8_0, BlockQ4_K, BlockQ5_K,
                                BlockQ6_K, BlockQ2_K, BlockQ3_K, BlockIQ4_NL, BlockIQ4_XS>;
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
template <>
constexpr double bound<BlockQ2_K> = 0.4;
template <>
constexpr double bound<BlockQ3_K> = 0.22;
template <>
constexpr double bound<BlockIQ4_NL> = 0.11;
template <>
constexpr double bound<BlockIQ4_XS> = 0.12;

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
