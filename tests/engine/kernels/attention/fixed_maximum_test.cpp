// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/fixed_maximum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "engine/kernels/attention/custom_attention.h"
#include "tests/support/head_case.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using testing::HeadCase;
using testing::KeyMask;

constexpr FlashBlockSizes smallBlocks{.blockKv = 64, .blockKvCompute = 32, .blockKvComputeIn = 16};
constexpr double allowedFixedError = 1e-5;

std::vector<float> keptMean(const HeadRows& keys, std::int64_t count, std::size_t headDim,
                            const std::uint8_t* keyMask) {
    std::vector<float> mean(headDim, -1.0F);
    findKeptMean(keys, count, keyMask, mean);
    return mean;
}

TEST(FixedMaximum, MeanAndNormAreOfTheKeptKeys) {
    const std::vector<float> rows{3.0F, 4.0F, 100.0F, 100.0F, 1.0F, -2.0F};
    const std::vector<std::uint8_t> keyMask{1, 0, 1};
    const HeadRows keys(rows.data(), 2);
    EXPECT_THAT(keptMean(keys, 3, 2, keyMask.data()), ElementsAre(2.0F, 1.0F));
    EXPECT_FLOAT_EQ(static_cast<float>(largestNorm(keys, 3, 2, keyMask.data())), 5.0F);
    std::vector<float> mean(2);
    const FixedMaximum fixed = smoothedFixedMaximum(keys, 3, keyMask.data(), mean);
    EXPECT_FLOAT_EQ(static_cast<float>(fixed.keyNorm), std::sqrt(10.0F));
    EXPECT_THAT(keptMean(keys, 3, 2, nullptr), ElementsAre(FloatEq(104.0F / 3), FloatEq(34.0F)));

    const std::vector<std::uint8_t> none{0, 0, 0};
    EXPECT_THAT(keptMean(keys, 3, 2, none.data()), ElementsAre(0.0F, 0.0F));
    EXPECT_EQ(largestNorm(keys, 3, 2, none.data()), 0.0);
}

TEST(FixedMaximum, TheGateIsTheBoundInLog2Units) {
    const double scale = 1.0 / std::numbers::log2e;
    EXPECT_EQ(fixedHeadroom(1), 119);
    EXPECT_EQ(fixedHeadroom(75'600), 102);
    EXPECT_EQ(fixedHeadroom(1 << 17), 102);
    EXPECT_EQ(fixedHeadroom((1 << 17) + 1), 101);
    EXPECT_TRUE(fixedMaximumEligible(10.0, scale, 22.6999, 75'600));
    EXPECT_FALSE(fixedMaximumEligible(10.0, scale, 22.7001, 75'600));
    EXPECT_TRUE(fixedMaximumEligible(10.0, -scale, 24.3999, 1));
    EXPECT_FALSE(fixedMaximumEligible(10.0, -scale, 24.4001, 1));
    EXPECT_FALSE(fixedMaximumEligible(std::nan(""), scale, 1.0, 1));
}

AttentionPartial runFixedMaximum(const HeadInputs& problem, const FixedMaximum& fixed, ExponentBase base) {
    AttentionScratch scratch;
    AttentionPartial partial;
    fixedMaximumAttention(problem, fixed, smallBlocks, base, scratch, partial);
    return partial;
}

AttentionPartial runCustomBase(const HeadInputs& problem, ExponentBase base) {
    AttentionScratch scratch;
    AttentionPartial partial;
    customAttention({&problem, 1}, smallBlocks, base, scratch, {&partial, 1});
    return partial;
}

FixedMaximum plainFixed(const HeadInputs& problem) {
    return {.keyNorm = largestNorm(problem.k, problem.keys, problem.headDim, problem.keyMask)};
}

TEST(FixedMaximum, AnyBoundGivesTheSameAttention) {
    const HeadCase attention({.queries = 17, .keys = 90, .headDim = 32, .gain = 2.0F});
    const std::vector<double> expected = attention.reference();
    const double norm = plainFixed(attention.problem()).keyNorm;
    for (const double factor : {0.0, 0.5, 1.0, 3.0, 40.0, 1000.0})
        for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two})
            EXPECT_LE(attention.error(runFixedMaximum(attention.problem(), {.keyNorm = factor * norm}, base),
                                      expected),
                      allowedFixedError)
                << factor;
}

// A head that passes the gate, whose first query has no score far from 0: with a bound of 241 its weights are
// around 2^-124, and f32 loses the smaller ones.
TEST(FixedMaximum, WeightsBelowTheRangeAreNotLost) {
    constexpr std::int64_t width = 8;
    constexpr double score = 3.2;
    std::vector<float> q(2 * width, 0.0F);
    std::vector<float> k(3 * width, 0.0F);
    std::vector<float> v(3 * width, 0.0F);
    q[0] = 12.8F;
    q[width + 1] = 12.8F;
    k[0] = 0.25F;
    k[1] = 13.05F;
    k[2 * width] = -0.25F;
    k[2 * width + 1] = -13.05F;
    for (std::size_t key = 0; key < 3; ++key)
        v[key * width + key] = 1.0F;
    const HeadInputs problem{.queries = 2,
                             .keys = 3,
                             .headDim = width,
                             .q = {q.data(), width},
                             .k = {k.data(), width},
                             .v = {v.data(), width}};
    std::vector<float> mean(width);
    const FixedMaximum fixed = smoothedFixedMaximum(problem.k, 3, nullptr, mean);
    ASSERT_TRUE(fixedMaximumEligible(12.8, 1.0, fixed.keyNorm, 3));
    const double sum = std::exp(score) + 1.0 + std::exp(-score);
    for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two}) {
        std::vector<float> out(2 * width);
        AttentionScratch scratch;
        AttentionPartial partial;
        EXPECT_FALSE(fixedMaximumAttention(problem, fixed, smallBlocks, base, scratch, partial))
            << "it ran with the running maximum";
        finalizePartial(partial, out.data(), width);
        EXPECT_NEAR(out[0], std::exp(score) / sum, 1e-6);
        EXPECT_NEAR(out[1], 1.0 / sum, 1e-6);
        EXPECT_NEAR(out[2], std::exp(-score) / sum, 1e-6);
    }
}

TEST(FixedMaximum, PartialsOfDifferentBoundsAndKernelsMerge) {
    for (const float gain : {1.0F, 2.5F}) {
        const HeadCase attention(
            {.queries = 13, .keys = 120, .headDim = 24, .gain = gain, .mask = KeyMask::Random});
        const std::vector<double> expected = attention.reference();
        const HeadInputs left = attention.problem(0, 50);
        const HeadInputs middle = attention.problem(50, 51);
        const HeadInputs right = attention.problem(51, 120);
        std::vector<float> meanOfRight(static_cast<std::size_t>(right.headDim));
        for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two}) {
            std::vector<AttentionPartial> parts{
                // A bound far above every score of the other parts.
                runFixedMaximum(left, {.keyNorm = 1.5 * plainFixed(left).keyNorm}, base),
                runCustomBase(middle, base),
                // The mean of these keys alone is taken off.
                runFixedMaximum(right, smoothedFixedMaximum(right.k, right.keys, right.keyMask, meanOfRight),
                                base),
                runFixedMaximum(attention.problem(3, 3), {.keyNorm = 50.0}, base)};
            std::vector<std::size_t> order{0, 1, 2, 3};
            do {
                AttentionPartial whole = parts[order[0]];
                for (std::size_t i = 1; i < order.size(); ++i)
                    mergePartials(whole, parts[order[i]]);
                ASSERT_LE(attention.error(whole, expected), allowedFixedError) << "gain " << gain;
            } while (std::next_permutation(order.begin(), order.end()));
        }
    }
}

TEST(FixedMaximum, ASumIsNearOneAndNoKeyIsNoMaximum) {
    const HeadCase attention({.queries = 6, .keys = 40, .headDim = 16});
    const AttentionPartial partial =
        runFixedMaximum(attention.problem(), plainFixed(attention.problem()), ExponentBase::Two);
    for (std::size_t i = 0; i < partial.sum.size(); ++i) {
        EXPECT_GT(partial.sum[i], 0.49F);
        EXPECT_LE(partial.sum[i], 1.0F);
        EXPECT_EQ(partial.maximum[i], std::round(partial.maximum[i]));
    }
    const HeadCase masked({.queries = 6, .keys = 40, .headDim = 16, .mask = KeyMask::All});
    const AttentionPartial empty = runFixedMaximum(masked.problem(), {.keyNorm = 9.0}, ExponentBase::Two);
    for (std::size_t i = 0; i < empty.sum.size(); ++i) {
        EXPECT_EQ(empty.sum[i], 0.0F);
        EXPECT_EQ(empty.maximum[i], -std::numeric_limits<float>::infinity());
    }
}

}  // namespace
}  // namespace meshreel
