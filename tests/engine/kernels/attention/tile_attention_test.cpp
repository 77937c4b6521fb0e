// SPDX-License-Identifier: GPL-3.0-or-later
// The tile kernel with emulated tiles on every machine, and in its own instructions where these can be run.
#include "engine/kernels/attention/tile_attention.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/kernels/dispatch/cpu_features.h"
#include "tests/support/head_case.h"
#include "tests/support/instruction_emulation.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

using testing::HeadCase;
using testing::KeyMask;

struct Variant {
    std::string name;
    TileAttentionFunction run;
};

std::vector<Variant> variants() {
    std::vector<Variant> result{{"emulated tiles, AVX2", tileAttentionEmulatedAvx2}};
    const CpuFeatures& features = cpuFeatures();
    if (features.avx512f && features.avx512bw && features.avx512dq && features.avx512vl)
        result.push_back({"emulated tiles, AVX-512", tileAttentionEmulatedAvx512});
    if (testing::bf16InstructionsAtHand()) {
        result.push_back({"AMX", tileAttentionAmx});
        result.push_back({"AVX512-BF16", tileAttentionAvx512Bf16});
    }
    return result;
}

constexpr FlashBlockSizes tileBlocks{.blockKv = 128, .blockKvCompute = 128, .blockKvComputeIn = 64};

AttentionPartial run(const Variant& variant, const HeadInputs& problem, const FlashBlockSizes& with,
                     AttentionScratch& scratch, ExponentBase base = ExponentBase::Two) {
    AttentionPartial partial;
    partial.reset(problem.queries, problem.headDim, base);
    std::vector<PanelHead> heads{{.problem = problem, .partial = partial}};
    variant.run(with, heads, scratch);
    return partial;
}

// The promise of bf16 rows.
double allowedTileError(float gain) {
    return gain > 1.0F ? 5e-2 : 2e-2;
}

class TileAttention : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(TileAttention, IsTheSoftmaxOfItsScores) {
    std::mt19937 generator(GetParam());
    const auto below = [&](std::uint32_t bound) { return static_cast<std::int64_t>(generator() % bound); };
    constexpr std::array gains{1.0F, 2.0F, 6.0F, 40.0F};
    constexpr std::array masks{KeyMask::None, KeyMask::Tail, KeyMask::Random, KeyMask::All};
    const HeadCase attention({.queries = 1 + below(80),
                              .keys = 1 + below(300),
                              .headDim = 16 * (1 + below(16)) - below(3),
                              .gain = gains[static_cast<std::size_t>(below(gains.size()))],
                              .mask = masks[static_cast<std::size_t>(below(masks.size()))],
                              .storage = DType::BF16,
                              .seed = GetParam()});
    const FlashBlockSizes with{
        .blockKv = 1 + below(400), .blockKvCompute = 1 + below(400), .blockKvComputeIn = 1 + below(200)};
    const std::vector<double> expected = attention.reference();
    for (const Variant& variant : variants())
        for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two}) {
            AttentionScratch scratch;
            EXPECT_LE(attention.error(run(variant, attention.problem(), with, scratch, base), expected),
                      allowedTileError(attention.spec.gain))
                << variant.name << ", " << attention.spec.text();
            EXPECT_LE(scratch.bytes(), tileScratchBytes(with, attention.spec.queries, attention.spec.keys,
                                                        attention.spec.headDim));
        }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TileAttention, ::testing::Range(1U, 25U), testing::PrintedName());

// A key that all queries attend to, far above the others, as sink heads have it.
TEST(TileAttentionEdges, ASinkKeepsItsValue) {
    for (const Variant& variant : variants())
        for (const float gain : {1.0F, 40.0F}) {
            const HeadCase attention(
                {.queries = 40, .keys = 1, .headDim = 64, .gain = gain, .storage = DType::BF16});
            AttentionScratch scratch;
            const AttentionPartial partial = run(variant, attention.problem(), tileBlocks, scratch);
            // One weight divided by itself: nothing is rounded twice.
            EXPECT_LE(attention.error(partial, attention.reference()), 1e-6) << variant.name;
        }
}

TEST(TileAttentionEdges, AQueryHasTheBitsThatItHasAlone) {
    const HeadCase attention(
        {.queries = 70, .keys = 200, .headDim = 48, .gain = 3.0F, .storage = DType::BF16});
    for (const Variant& variant : variants()) {
        AttentionScratch scratch;
        const AttentionPartial all = run(variant, attention.problem(), tileBlocks, scratch);
        HeadInputs some = attention.problem();
        some.q = some.q.from(37);
        some.queries = 5;
        const AttentionPartial part = run(variant, some, tileBlocks, scratch);
        for (std::size_t query = 0; query < 5; ++query) {
            EXPECT_EQ(part.maximum[query], all.maximum[37 + query]) << variant.name;
            EXPECT_EQ(part.sum[query], all.sum[37 + query]) << variant.name;
            for (std::size_t i = 0; i < 48; ++i)
                EXPECT_EQ(part.output[query * 48 + i], all.output[(37 + query) * 48 + i]) << variant.name;
        }
    }
}

TEST(TileAttentionEdges, PartsOfTheKeysMergeToTheWhole) {
    const HeadCase attention(
        {.queries = 33, .keys = 190, .headDim = 32, .gain = 2.0F, .storage = DType::BF16});
    const std::vector<double> expected = attention.reference();
    for (const Variant& variant : variants()) {
        AttentionScratch scratch;
        AttentionPartial merged = run(variant, attention.problem(0, 77), tileBlocks, scratch);
        mergePartials(merged, run(variant, attention.problem(77, 190), tileBlocks, scratch));
        EXPECT_LE(attention.error(merged, expected), allowedTileError(attention.spec.gain)) << variant.name;
    }
}

TEST(TileAttentionEdges, NanIsSeenInItsOwnRowOnly) {
    const HeadCase attention({.queries = 3, .keys = 40, .headDim = 16, .storage = DType::BF16});
    std::vector<BFloat16> q(48, toBFloat16(0.5F));
    q[16 + 5] = toBFloat16(std::numeric_limits<float>::quiet_NaN());
    HeadInputs problem = attention.problem();
    problem.q = {q.data(), 16};
    for (const Variant& variant : variants()) {
        AttentionScratch scratch;
        std::vector<float> out(48);
        finalizePartial(run(variant, problem, tileBlocks, scratch), out.data(), 16);
        EXPECT_TRUE(std::isfinite(out[0])) << variant.name;
        EXPECT_TRUE(std::isnan(out[16])) << variant.name;
        EXPECT_TRUE(std::isfinite(out[32])) << variant.name;
    }
}

}  // namespace
}  // namespace meshreel
