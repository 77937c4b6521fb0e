// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/local_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

struct AttentionCalculation {
    std::int64_t batch, heads, headDim, queries, keys;
    bool masked;
    bool biased;
    FlashBlockSizes blocks;
};

void PrintTo(const AttentionCalculation& problem, std::ostream* out) {
    *out << problem.batch << "x" << problem.heads << "x" << problem.headDim << " " << problem.queries
         << " by " << problem.keys << (problem.masked ? " masked" : "") << (problem.biased ? " biased" : "")
         << (problem.blocks.blockQ > 0 ? " in blocks" : "");
}

class AttentionTest : public ::testing::TestWithParam<AttentionCalculation> {
  protected:
    AttentionTest() {
        const auto [batch, heads, headDim, queries, keys, masked, biased, blocks] = GetParam();
        query = testing::randomTensor({batch, queries, heads, headDim}, 1);
        key = testing::randomTensor({batch, keys, heads, headDim}, 2);
        value = testing::randomTensor({batch, keys, heads, headDim}, 3);
        // Louder queries for one row in three, so that some rows look at a single key.
        for (std::int64_t row = 0; row < batch * queries; row += 3)
            for (std::int64_t i = 0; i < heads * headDim; ++i)
                query.data<float>()[static_cast<std::size_t>(row * heads * headDim + i)] *= 12.0F;
        if (masked)
            for (std::int64_t i = 0; i < batch * keys; ++i)
                keyMask.push_back(i % 5 != 1 &&
                                  i / keys != 1);  // the second batch element keeps no key at all
        if (biased)
            bias = testing::randomTensor({heads, queries + keys - 1}, 4);
        inputs = {.batch = batch,
                  .heads = heads,
                  .headDim = headDim,
                  .queryLength = queries,
                  .keyLength = keys,
                  .query = query.data<float>(),
                  .key = key.data<float>(),
                  .value = value.data<float>(),
                  .keyMask = keyMask,
                  .bias = bias.data<float>(),
                  .scale = 1.0F / std::sqrt(static_cast<float>(headDim))};
    }

    [[nodiscard]] double product(std::int64_t batch, std::int64_t head, std::int64_t q,
                                 std::int64_t k) const {
        double sum = 0.0;
        for (std::int64_t i = 0; i < inputs.headDim; ++i)
            sum += at(inputs.query, batch * inputs.queryLength + q, head, i) *
                   at(inputs.key, batch * inputs.keyLength + k, head, i);
        return sum * static_cast<double>(inputs.scale);
    }

    [[nodiscard]] double at(std::span<const float> rows, std::int64_t row, std::int64_t head,
                            std::int64_t i) const {
        return static_cast<double>(
            rows[static_cast<std::size_t>((row * inputs.heads + head) * inputs.headDim + i)]);
    }

    // Softmax attention in double, as the formula says it.
    [[nodiscard]] std::vector<double> reference() const {
        std::vector<double> out;
        for (std::int64_t batch = 0; batch < inputs.batch; ++batch)
            for (std::int64_t q = 0; q < inputs.queryLength; ++q)
                for (std::int64_t head = 0; head < inputs.heads; ++head)
                    appendRow(batch, q, head, out);
        return out;
    }

    void appendRow(std::int64_t batch, std::int64_t q, std::int64_t head, std::vector<double>& out) const {
        std::vector<double> weights;
        double sum = 0.0;
        for (std::int64_t k = 0; k < inputs.keyLength; ++k) {
            double score = product(batch, head, q, k);
            if (!inputs.bias.empty())
                score += static_cast<double>(inputs.bias[static_cast<std::size_t>(
                    head * (inputs.queryLength + inputs.keyLength - 1) + k - q + inputs.queryLength - 1)]);
            const bool kept =
                keyMask.empty() || keyMask[static_cast<std::size_t>(batch * inputs.keyLength + k)] != 0;
            weights.push_back(kept ? std::exp(score) : 0.0);
            sum += weights.back();
        }
        for (std::int64_t i = 0; i < inputs.headDim; ++i) {
            double result = 0.0;
            for (std::int64_t k = 0; k < inputs.keyLength; ++k)
                result += weights[static_cast<std::size_t>(k)] *
                          at(inputs.value, batch * inputs.keyLength + k, head, i);
            out.push_back(sum == 0.0 ? 0.0 : result / sum);
        }
    }

    [[nodiscard]] Tensor run(std::string_view mode, int workers) const {
        return run(mode, workers, GetParam().blocks);
    }

    [[nodiscard]] Tensor run(std::string_view mode, int workers, const FlashBlockSizes& blocks) const {
        WorkerPool pool({.workers = workers});
        Tensor out = Tensor::empty(query.shape());
        attend(Execution{pool, {}},
               planAttention({.mode = findAttentionMode(mode), .blocks = blocks, .ulyssesShards = 1},
                             {.heads = inputs.heads}),
               inputs, out.data<float>());
        return out;
    }

    Tensor query, key, value, bias;
    std::vector<std::uint8_t> keyMask;
    AttentionInputs inputs;
};

TEST_P(AttentionTest, EveryModeThatRunsIsTheSoftmaxOfItsScores) {
    const std::vector<double> expected = reference();
    for (const AttentionMode& mode : attentionModes()) {
        if (!mode.runs() || (!inputs.bias.empty() && mode.kernel >= AttentionKernel::Custom))
            continue;
        const Tensor out = run(mode.name, 2);
        for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(out.data<float>()[i], expected[i], 1e-5) << mode.name << " at " << i;
        const Tensor again = run(mode.name, 2);
        EXPECT_EQ(std::memcmp(out.raw(), again.raw(), out.bytes()), 0) << mode.name;
    }
}

TEST_P(AttentionTest, QueryBlocksAndWorkersChangeNoBit) {
    if (!inputs.bias.empty())
        GTEST_SKIP() << "a bias takes the kernel of dense tiles";
    for (const char* mode : {"flash", "ulysses_custom"}) {
        const Tensor expected = run(mode, 1);
        for (const std::int64_t blockQ : {1, 3, 29, 1000}) {
            FlashBlockSizes blocks = GetParam().blocks;
            blocks.blockQ = blockQ;
            const Tensor out = run(mode, 3, blocks);
            EXPECT_EQ(std::memcmp(out.raw(), expected.raw(), out.bytes()), 0) << mode << " " << blockQ;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, AttentionTest,
    ::testing::Values(
        AttentionCalculation{1, 1, 8, 1, 1, false, false, {}},
        AttentionCalculation{1, 3, 32, 45, 45, false, false, {}},
        AttentionCalculation{
            2, 3, 32, 45, 45, false, false, {.blockQ = 7, .blockKv = 12, .blockKvCompute = 4}},
        AttentionCalculation{
            2, 2, 16, 33, 130, true, false, {.blockQ = 16, .blockKv = 64, .blockKvCompute = 16}},
        AttentionCalculation{2, 2, 16, 33, 17, true, true, {.blockQ = 5, .blockKv = 3, .blockKvCompute = 1}},
        AttentionCalculation{
            1, 4, 24, 20, 512, false, true, {.blockQ = 64, .blockKv = 128, .blockKvCompute = 128}},
        AttentionCalculation{
            1, 2, 128, 70, 259, false, false, {.blockQ = 32, .blockKv = 100, .blockKvCompute = 50}}),
    testing::PrintedName());

TEST(Attention, NoKeysGiveZeros) {
    WorkerPool pool({.workers = 1});
    const Tensor query = testing::randomTensor({1, 2, 1, 4}, 1);
    std::vector<float> out(8, 7.0F);
    for (const char* mode : {"flash", "dot_product"})
        attend(Execution{pool, {}}, planAttention({.mode = findAttentionMode(mode)}, {}),
               {.batch = 1,
                .heads = 1,
                .headDim = 4,
                .queryLength = 2,
                .keyLength = 0,
                .query = query.data<float>(),
                .key = {},
                .value = {},
                .scale = 1.0F},
               out);
    EXPECT_THAT(out, ::testing::Each(0.0F));
}

TEST(Attention, NanIsNotHidden) {
    WorkerPool pool({.workers = 1});
    Tensor query = testing::randomTensor({1, 3, 1, 4}, 1);
    query.data<float>()[5] = std::nanf("");
    for (const char* mode : {"flash", "dot_product"}) {
        Tensor out = Tensor::empty(query.shape());
        attend(Execution{pool, {}},
               planAttention({.mode = findAttentionMode(mode),
                              .blocks = {.blockQ = 2, .blockKv = 2, .blockKvCompute = 1}},
                             {}),
               {.batch = 1,
                .heads = 1,
                .headDim = 4,
                .queryLength = 3,
                .keyLength = 3,
                .query = query.data<float>(),
                .key = query.data<float>(),
                .value = query.data<float>(),
                .scale = 1.0F},
               out.data<float>());
        EXPECT_TRUE(std::isnan(out.data<float>()[5])) << mode;
    }
}

TEST(Attention, RefusesSpansOfWrongSize) {
    WorkerPool pool({.workers = 1});
    std::vector<float> four(4);
    EXPECT_THROW(attend(Execution{pool, {}}, densePlan(),
                        {.batch = 1,
                         .heads = 1,
                         .headDim = 4,
                         .queryLength = 1,
                         .keyLength = 2,
                         .query = four,
                         .key = four,
                         .value = four,
                         .scale = 1.0F},
                        four),
                 Error);
}

}  // namespace
}  // namespace meshreel
