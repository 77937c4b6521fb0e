// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/number_types.h"

namespace meshreel {
namespace {

AttentionCase smallCase() {
    return {.batch = 2, .heads = 3, .queryLength = 11, .keyLength = 7, .headDim = 5, .seed = 42};
}

Tensor whole(const AttentionCase& attention, AttentionOperand operand) {
    WorkerPool pool({.workers = 2});
    const std::int64_t length =
        operand == AttentionOperand::Query ? attention.queryLength : attention.keyLength;
    return attentionOperand(attention, operand, {0, length}, pool);
}

std::vector<float> rowValues(const Tensor& tensor) {
    const Tensor f32 = tensor.toF32();
    const auto values = f32.data<float>();
    return {values.begin(), values.end()};
}

TEST(AttentionInputs, AreTheSameHoweverTokensAreShared) {
    const AttentionCase attention = smallCase();
    const std::vector<float> all = rowValues(whole(attention, AttentionOperand::Query));
    for (const int parts : {1, 2, 3, 4, 8, 13})
        for (int index = 0; index < parts; ++index) {
            const ShardRange tokens = shardRange(attention.queryLength, parts, index);
            WorkerPool pool({.workers = 1 + index % 3});
            const std::vector<float> part =
                rowValues(attentionOperand(attention, AttentionOperand::Query, tokens, pool));
            ASSERT_EQ(part.size(), static_cast<std::size_t>(2 * tokens.size() * 15));
            for (std::int64_t row = 0; row < 2; ++row)
                for (std::int64_t i = 0; i < tokens.size() * 15; ++i)
                    ASSERT_EQ(part[static_cast<std::size_t>(row * tokens.size() * 15 + i)],
                              all[static_cast<std::size_t>((row * 11 + tokens.begin) * 15 + i)]);
        }
}

TEST(AttentionInputs, DifferBySeedAndOperand) {
    AttentionCase attention = smallCase();
    const std::vector<float> key = rowValues(whole(attention, AttentionOperand::Key));
    EXPECT_EQ(key, rowValues(whole(attention, AttentionOperand::Key)));
    EXPECT_NE(key, rowValues(whole(attention, AttentionOperand::Value)));
    attention.seed = 43;
    EXPECT_NE(key, rowValues(whole(attention, AttentionOperand::Key)));
}

TEST(AttentionInputs, AreStandardNormal) {
    AttentionCase attention = smallCase();
    attention.keyLength = 4000;
    const std::vector<float> values = rowValues(whole(attention, AttentionOperand::Value));
    double sum = 0;
    double squares = 0;
    for (const auto value : values) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto count = static_cast<double>(values.size());
    EXPECT_NEAR(sum / count, 0.0, 0.02);
    EXPECT_NEAR(squares / count, 1.0, 0.02);
}

TEST(AttentionInputs, GainIsOfQueryAndKey) {
    const AttentionCase plain = smallCase();
    AttentionCase sharpened = plain;
    sharpened.gain = 4;
    for (const auto& [operand, factor] : {std::pair{AttentionOperand::Query, 4.0F},
                                          {AttentionOperand::Key, 4.0F},
                                          {AttentionOperand::Value, 1.0F}}) {
        std::vector<float> expected = rowValues(whole(plain, operand));
        std::ranges::transform(expected, expected.begin(),
                               [scale = factor](float value) { return value * scale; });
        EXPECT_EQ(rowValues(whole(sharpened, operand)), expected);
    }
}

TEST(AttentionInputs, Bf16IsTheRoundedF32) {
    const AttentionCase exact = smallCase();
    AttentionCase rounded = exact;
    rounded.type = DType::BF16;
    std::vector<float> expected = rowValues(whole(exact, AttentionOperand::Key));
    std::ranges::transform(expected, expected.begin(),
                           [](float value) { return toFloat(toBFloat16(value)); });
    const Tensor key = whole(rounded, AttentionOperand::Key);
    EXPECT_EQ(key.dtype(), DType::BF16);
    EXPECT_EQ(rowValues(key), expected);
}

TEST(AttentionInputs, MasksMaskWhatTheySay) {
    AttentionCase attention = smallCase();
    using Keep = std::vector<std::uint8_t>;
    EXPECT_EQ(keepMask(attention), Keep{});
    attention.mask = parseKeyMask("tail:2");
    EXPECT_EQ(keepMask(attention), (Keep{1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0}));
    attention.mask = parseKeyMask("head:6");
    EXPECT_EQ(keepMask(attention), (Keep{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
    attention.mask = parseKeyMask("row:1");
    EXPECT_EQ(keepMask(attention), (Keep{1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}));
    attention.mask = parseKeyMask("random:0");
    EXPECT_EQ(keepMask(attention), Keep(14, 1));
    attention.mask = parseKeyMask("random:1");
    EXPECT_EQ(keepMask(attention), Keep(14, 0));
}

TEST(AttentionInputs, ARandomMaskIsOfSeedAndRow) {
    AttentionCase attention = smallCase();
    attention.keyLength = 2000;
    attention.mask = parseKeyMask("random:0.25");
    const std::vector<std::uint8_t> keyMask = keepMask(attention);
    EXPECT_EQ(keyMask, keepMask(attention));
    EXPECT_NEAR(static_cast<double>(std::ranges::count(keyMask, 0)), 1000, 120);
    EXPECT_FALSE(std::equal(keyMask.begin(), keyMask.begin() + 2000, keyMask.begin() + 2000));
    attention.seed = 1;
    EXPECT_NE(keyMask, keepMask(attention));
}

}  // namespace
}  // namespace meshreel
