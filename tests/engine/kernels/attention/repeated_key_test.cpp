// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/attention_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/kernels/attention/custom_attention.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

constexpr std::int64_t queries = 5;
constexpr std::int64_t others = 7;
constexpr std::int64_t repeats = 9;
constexpr std::int64_t headDim = 20;

/// Keys of which the last `repeats` are equal.
class RepeatedKeyTest : public ::testing::TestWithParam<float> {
  protected:
    RepeatedKeyTest() {
        for (float& value : q.data<float>())
            value *= GetParam();
        for (Tensor* rows : {&k, &v})
            for (std::int64_t row = others + 1; row < others + repeats; ++row)
                std::ranges::copy(rows->slice(others, others + 1).data<float>(),
                                  rows->slice(row, row + 1).data<float>().begin());
    }

    [[nodiscard]] HeadInputs problem(std::int64_t keys) const {
        return {.queries = queries,
                .keys = keys,
                .headDim = headDim,
                .q = {q.data<float>().data(), headDim},
                .k = {k.data<float>().data(), headDim},
                .v = {v.data<float>().data(), headDim},
                .scale = 0.25};
    }
    [[nodiscard]] static std::vector<float> result(const AttentionPartial& partial) {
        std::vector<float> out(static_cast<std::size_t>(queries * headDim));
        finalizePartial(partial, out.data(), headDim);
        return out;
    }

    Tensor q = testing::randomTensor({queries, headDim}, 1);
    Tensor k = testing::randomTensor({others + repeats, headDim}, 2);
    Tensor v = testing::randomTensor({others + repeats, headDim}, 3);
    AttentionScratch scratch;
};

TEST_P(RepeatedKeyTest, IsAttendingToEveryCopy) {
    AttentionPartial all;
    dotProductAttention(problem(others + repeats), scratch, all);
    const std::vector<float> expected = result(all);

    const HeadInputs distinct = problem(others);
    AttentionPartial natural;
    dotProductAttention(distinct, scratch, natural);
    AttentionPartial binary;
    customAttention({&distinct, 1}, {.blockKv = 4, .blockKvCompute = 4, .blockKvComputeIn = 4},
                    ExponentBase::Two, scratch, {&binary, 1});
    for (AttentionPartial* partial : {&natural, &binary}) {
        addRepeatedKey(distinct, others, repeats, *partial);
        const std::vector<float> found = result(*partial);
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(found[i], expected[i], 1e-5F) << i;
    }
}

TEST_P(RepeatedKeyTest, AloneGivesItsValue) {
    AttentionPartial partial;
    partial.reset(queries, headDim);
    addRepeatedKey(problem(0), others, repeats, partial);
    const std::vector<float> found = result(partial);
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], v.data<float>()[others * headDim + i % headDim], 1e-6F);
}

INSTANTIATE_TEST_SUITE_P(ScoresOf, RepeatedKeyTest, ::testing::Values(1.0F, 40.0F, 3000.0F),
                         testing::PrintedName());

}  // namespace
}  // namespace meshreel
