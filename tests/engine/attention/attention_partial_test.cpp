// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/kernels/attention/attention_kernel.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

constexpr std::int64_t queries = 9;
constexpr std::int64_t keys = 50;
constexpr std::int64_t partialHeadDim = 16;

class AttentionPartialTest : public ::testing::Test {
  protected:
    // The partial over keys [begin, end).
    [[nodiscard]] AttentionPartial over(std::int64_t begin, std::int64_t end,
                                        const std::uint8_t* keyMask = nullptr) const {
        AttentionScratch scratch;
        AttentionPartial partial;
        dotProductAttention({.queries = queries,
                             .keys = end - begin,
                             .headDim = partialHeadDim,
                             .q = {q.data<float>().data(), partialHeadDim},
                             .k = {k.data<float>().data() + begin * partialHeadDim, partialHeadDim},
                             .v = {v.data<float>().data() + begin * partialHeadDim, partialHeadDim},
                             .scale = 2.0F,
                             .keyMask = keyMask},
                            scratch, partial);
        return partial;
    }

    [[nodiscard]] static std::vector<float> finalized(const AttentionPartial& partial) {
        std::vector<float> out(queries * partialHeadDim);
        finalizePartial(partial, out.data(), partialHeadDim);
        return out;
    }

    static void expectNear(const std::vector<float>& a, const std::vector<float>& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_NEAR(a[i], b[i], 3e-6);
    }

    Tensor q = testing::randomTensor({queries, partialHeadDim}, 1);
    Tensor k = testing::randomTensor({keys, partialHeadDim}, 2);
    Tensor v = testing::randomTensor({keys, partialHeadDim}, 3);
};

TEST_F(AttentionPartialTest, PartsMergeToTheWholeInAnyOrder) {
    const std::vector<float> whole = finalized(over(0, keys));
    for (const std::int64_t cut : {1, 17, 49}) {
        AttentionPartial forward = over(0, cut);
        mergePartials(forward, over(cut, keys));
        expectNear(finalized(forward), whole);
        AttentionPartial backward = over(cut, keys);
        mergePartials(backward, over(0, cut));
        expectNear(finalized(backward), whole);
    }
    AttentionPartial left = over(0, 10);
    mergePartials(left, over(10, 30));
    mergePartials(left, over(30, keys));
    AttentionPartial right = over(10, 30);
    mergePartials(right, over(30, keys));
    AttentionPartial first = over(0, 10);
    mergePartials(first, right);
    expectNear(finalized(left), finalized(first));
}

TEST_F(AttentionPartialTest, APartWithoutValidKeysChangesNothing) {
    const std::vector<std::uint8_t> none(keys, 0);
    AttentionPartial merged = over(0, keys);
    mergePartials(merged, over(0, keys, none.data()));
    EXPECT_EQ(finalized(merged), finalized(over(0, keys)));

    AttentionPartial empty;
    empty.reset(queries, partialHeadDim);
    EXPECT_EQ(finalized(empty), std::vector<float>(queries * partialHeadDim, 0.0F));
    mergePartials(empty, over(0, keys));
    EXPECT_EQ(finalized(empty), finalized(over(0, keys)));
}

TEST_F(AttentionPartialTest, PartsOfDifferentBasesDoNotMerge) {
    AttentionPartial natural = over(0, keys);
    AttentionPartial two;
    two.reset(queries, partialHeadDim, ExponentBase::Two);
    EXPECT_THROW(mergePartials(natural, two), Error);
    EXPECT_THROW(mergePartials(two, natural), Error);
}

TEST_F(AttentionPartialTest, MaximumAndSumDescribeTheScores) {
    const AttentionPartial partial = over(0, keys);
    for (std::int64_t row = 0; row < queries; ++row) {
        double maximum = -std::numeric_limits<double>::infinity();
        double sum = 0.0;
        for (int pass = 0; pass < 2; ++pass)
            for (std::int64_t key = 0; key < keys; ++key) {
                double score = 0.0;
                for (std::int64_t i = 0; i < partialHeadDim; ++i)
                    score += 2.0 *
                             static_cast<double>(
                                 q.data<float>()[static_cast<std::size_t>(row * partialHeadDim + i)]) *
                             static_cast<double>(
                                 k.data<float>()[static_cast<std::size_t>(key * partialHeadDim + i)]);
                if (pass == 0)
                    maximum = std::max(maximum, score);
                else
                    sum += std::exp(score - maximum);
            }
        EXPECT_NEAR(partial.maximum[static_cast<std::size_t>(row)], maximum, 1e-5);
        EXPECT_NEAR(partial.sum[static_cast<std::size_t>(row)], sum, 1e-4);
    }
}

}  // namespace
}  // namespace meshreel
