// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/custom_attention.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/head_case.h"

namespace meshreel {
namespace {

using testing::HeadCase;
using testing::HeadCaseSpec;
using testing::KeyMask;

constexpr FlashBlockSizes customBlocks{.blockKv = 64, .blockKvCompute = 32, .blockKvComputeIn = 16};
constexpr double allowedCustomError = 1e-5;

constexpr FlashBlockSizes cut(std::int64_t fetched, std::int64_t compute, std::int64_t softmax) {
    return {.blockKv = fetched, .blockKvCompute = compute, .blockKvComputeIn = softmax};
}

AttentionPartial runOne(const HeadInputs& problem, const FlashBlockSizes& with, ExponentBase base) {
    AttentionScratch scratch;
    AttentionPartial partial;
    customAttention({&problem, 1}, with, base, scratch, {&partial, 1});
    return partial;
}

TEST(CustomAttention, HeadsOfATileHaveTheBitsOfHeadsAlone) {
    // A quiet head, one with f64 scores, one that is masked differently, one in bf16.
    std::deque<HeadCase> cases;
    const HeadCaseSpec spec{.queries = 19, .keys = 150, .headDim = 24};
    HeadCaseSpec loud = spec;
    loud.gain = 6.0F;
    HeadCaseSpec masked = spec;
    masked.mask = KeyMask::Random;
    HeadCaseSpec narrow = spec;
    narrow.storage = DType::BF16;
    std::vector<HeadInputs> problems;
    for (const HeadCaseSpec& each : {spec, loud, masked, narrow})
        problems.push_back(cases.emplace_back(each).problem());
    for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two}) {
        AttentionScratch scratch;
        std::vector<AttentionPartial> together(problems.size());
        customAttention(problems, customBlocks, base, scratch, together);
        for (std::size_t i = 0; i < problems.size(); ++i) {
            const AttentionPartial alone = runOne(problems[i], customBlocks, base);
            EXPECT_EQ(together[i].output, alone.output) << i;
            EXPECT_EQ(together[i].maximum, alone.maximum) << i;
            EXPECT_EQ(together[i].sum, alone.sum) << i;
        }
    }
}

TEST(CustomAttention, BlocksDoNotChangeTheResult) {
    for (const float gain : {1.0F, 6.0F})
        for (const KeyMask mask : {KeyMask::None, KeyMask::Random}) {
            const HeadCase attention({.queries = 21, .keys = 131, .headDim = 40, .gain = gain, .mask = mask});
            const std::vector<double> expected = attention.reference();
            for (const FlashBlockSizes& with : {cut(1, 1, 1), cut(2, 2, 2), cut(131, 131, 131),
                                                cut(1024, 512, 512), cut(128, 64, 1000), cut(100, 50, 7)})
                for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two})
                    EXPECT_LE(attention.error(runOne(attention.problem(), with, base), expected),
                              allowedCustomError)
                        << with.blockKv << "/" << with.blockKvCompute << "/" << with.blockKvComputeIn
                        << " gain " << gain;
        }
}

TEST(CustomAttention, AMaskedKeyIsNeverTouched) {
    constexpr std::int64_t keys = 50;
    constexpr std::int64_t width = 16;
    const HeadCase attention({.queries = 4, .keys = keys, .headDim = width});
    Tensor k = testing::randomTensor({keys, width}, 5);
    Tensor v = testing::randomTensor({keys, width}, 6);
    std::vector<std::uint8_t> keyMask(keys, 1);
    for (const std::int64_t key : {0, 7, 8, 31, 49}) {
        keyMask[static_cast<std::size_t>(key)] = 0;
        for (Tensor* rows : {&k, &v})
            std::fill_n(rows->data<float>().data() + key * width, width,
                        std::numeric_limits<float>::quiet_NaN());
    }
    HeadInputs problem = attention.problem();
    problem.k = {k.data<float>().data(), width};
    problem.v = {v.data<float>().data(), width};
    problem.keyMask = keyMask.data();
    for (const float element : runOne(problem, customBlocks, ExponentBase::Two).output)
        EXPECT_TRUE(std::isfinite(element));
}

TEST(CustomAttention, MaximaAreIntegersAtOrAboveTheScores) {
    const HeadCase attention({.queries = 9, .keys = 70, .headDim = 16});
    const AttentionPartial partial = runOne(attention.problem(), customBlocks, ExponentBase::Natural);
    AttentionScratch scratch;
    AttentionPartial dense;
    dotProductAttention(attention.problem(), scratch, dense);
    for (std::size_t i = 0; i < partial.maximum.size(); ++i)
        EXPECT_EQ(partial.maximum[i], std::ceil(dense.maximum[i]));
}

TEST(CustomAttention, HoldsTheScratchThatIsPredicted) {
    struct Size {
        std::int64_t heads, queries, keys, headDim;
        FlashBlockSizes customBlocks;
    };
    for (const auto& [heads, queries, keys, headDim, with] :
         {Size{1, 33, 200, 24, customBlocks}, Size{3, 16, 50, 64, customBlocks},
          Size{2, 5, 40, 8, cut(1024, 512, 512)}, Size{1, 4, 9, 8, cut(2, 2, 1)},
          Size{1, 10, 100, 128, cut(100, 100, 10)}})
        for (const DType storage : {DType::F32, DType::BF16}) {
            const HeadCase attention({.queries = queries,
                                      .keys = keys,
                                      .headDim = headDim,
                                      .gain = 40.0F,
                                      .mask = KeyMask::Random,
                                      .storage = storage});
            const std::vector<HeadInputs> problems(static_cast<std::size_t>(heads), attention.problem());
            AttentionScratch scratch;
            std::vector<AttentionPartial> partials(problems.size());
            customAttention(problems, with, ExponentBase::Two, scratch, partials);
            std::size_t held = scratch.bytes();
            for (const AttentionPartial& partial : partials)
                held += (partial.output.capacity() + partial.maximum.capacity() + partial.sum.capacity()) *
                        sizeof(float);
            EXPECT_LE(held, customScratchBytes(with, heads, queries, keys, headDim))
                << heads << " heads of " << queries << "x" << keys;
            if (storage == DType::F32) {
                EXPECT_EQ(scratch.bytes(), panelScratchBytes(with, heads, queries, keys, headDim))
                    << heads << " heads of " << queries << "x" << keys;
            }
        }
}

// The best known tiles of 14B models at 720p with 64 MiB.
TEST(CustomAttention, PublishedTilesFitTheirLimit) {
    constexpr std::size_t limit = 67'108'864;
    constexpr std::int64_t blockQ = 9472;
    constexpr std::int64_t tokens = 75600;
    const auto bytes = [](std::int64_t kv) {
        return customScratchBytes({.blockKv = kv, .blockKvCompute = kv, .blockKvComputeIn = 1024}, 1, blockQ,
                                  tokens, 128);
    };
    EXPECT_LE(bytes(1024), limit);
    EXPECT_LE(bytes(1152), limit);
}

TEST(CustomAttention, RefusesWhatItHasNot) {
    const HeadCase attention({.queries = 4, .keys = 9, .headDim = 8});
    const Tensor bias = Tensor::zeros({4, 9});
    HeadInputs biased = attention.problem();
    biased.bias = {bias.data<float>().data(), 9};
    EXPECT_THROW(runOne(biased, customBlocks, ExponentBase::Two), Error);
    EXPECT_THROW(runOne(attention.problem(), {.blockKv = 4, .blockKvCompute = 0, .blockKvComputeIn = 1},
                        ExponentBase::Two),
                 Error);
    std::vector<HeadInputs> uneven(2, attention.problem());
    uneven[1].keys = 8;
    std::vector<AttentionPartial> partials(2);
    AttentionScratch scratch;
    EXPECT_THROW(customAttention(uneven, customBlocks, ExponentBase::Two, scratch, partials), Error);
}

}  // namespace
}  // namespace meshreel
