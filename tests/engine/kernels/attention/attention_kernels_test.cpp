// SPDX-License-Identifier: GPL-3.0-or-later
// Every attention kernel against the softmax of its scores in f64.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/kernels/attention/custom_attention.h"
#include "tests/support/head_case.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

using testing::HeadCase;
using testing::HeadCaseSpec;
using testing::KeyMask;

struct Kernel {
    std::string name;
    std::function<AttentionPartial(const HeadInputs&)> run;
};

constexpr std::int64_t blockKv = 96;
constexpr std::int64_t blockCompute = 32;
constexpr std::int64_t blockComputeIn = 20;
constexpr FlashBlockSizes blocks{
    .blockKv = blockKv, .blockKvCompute = blockCompute, .blockKvComputeIn = blockComputeIn};

AttentionPartial runCustom(const HeadInputs& problem, ExponentBase base) {
    AttentionScratch scratch;
    AttentionPartial partial;
    customAttention({&problem, 1}, blocks, base, scratch, {&partial, 1});
    return partial;
}

AttentionPartial runFixed(const HeadInputs& problem, bool smoothed, ExponentBase base) {
    AttentionScratch scratch;
    AttentionPartial partial;
    std::vector<float> mean(static_cast<std::size_t>(problem.headDim));
    const FixedMaximum fixed =
        smoothed
            ? smoothedFixedMaximum(problem.k, problem.keys, problem.keyMask, mean)
            : FixedMaximum{.keyNorm = largestNorm(problem.k, problem.keys, problem.headDim, problem.keyMask)};
    fixedMaximumAttention(problem, fixed, blocks, base, scratch, partial);
    return partial;
}

std::vector<Kernel> kernels() {
    std::vector<Kernel> result{{"dense",
                                [](const HeadInputs& problem) {
                                    AttentionScratch scratch;
                                    AttentionPartial partial;
                                    dotProductAttention(problem, scratch, partial);
                                    return partial;
                                }},
                               {"flash", [](const HeadInputs& problem) {
                                    AttentionScratch scratch;
                                    AttentionPartial partial;
                                    flashAttention(problem, blocks, scratch, partial);
                                    return partial;
                                }}};
    for (const ExponentBase base : {ExponentBase::Natural, ExponentBase::Two}) {
        const std::string suffix = base == ExponentBase::Two ? " base 2" : " base e";
        result.push_back(
            {"custom" + suffix, [base](const HeadInputs& problem) { return runCustom(problem, base); }});
        for (const bool smoothed : {false, true})
            result.push_back(
                {(smoothed ? "smoothed fixed" : "fixed") + suffix,
                 [base, smoothed](const HeadInputs& problem) { return runFixed(problem, smoothed, base); }});
    }
    return result;
}

// The product promises 2e-5; half of it leaves room for merges over devices.
constexpr double allowedError = 1e-5;

// Rows stored as bf16 may be computed in bf16.
double allowedErrorOf(const HeadCaseSpec& spec) {
    if (spec.storage == DType::F32)
        return allowedError;
    return spec.gain > 1.0F ? 5e-2 : 2e-2;
}

void expectExact(const HeadCaseSpec& spec) {
    const HeadCase attention(spec);
    const std::vector<double> expected = attention.reference();
    for (const Kernel& kernel : kernels())
        EXPECT_LE(attention.error(kernel.run(attention.problem()), expected), allowedErrorOf(spec))
            << kernel.name << ", " << spec.text();
}

class AttentionKernels : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AttentionKernels, AreTheSoftmaxOfTheirScores) {
    std::mt19937 generator(GetParam());
    const auto below = [&](std::uint32_t bound) { return static_cast<std::int64_t>(generator() % bound); };
    constexpr std::array gains{1.0F, 2.0F, 3.0F, 6.0F, 40.0F};
    constexpr std::array masks{KeyMask::None, KeyMask::Tail, KeyMask::Random, KeyMask::All};
    for (const DType storage : {DType::F32, DType::BF16})
        expectExact({.queries = 1 + below(40),
                     .keys = 1 + below(GetParam() % 3 == 0 ? 12 : 400),
                     .headDim = 8 * (1 + 2 * below(16)),
                     .gain = gains[static_cast<std::size_t>(below(gains.size()))],
                     .mask = masks[static_cast<std::size_t>(below(masks.size()))],
                     .storage = storage,
                     .seed = GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Seeds, AttentionKernels, ::testing::Range(1U, 41U), testing::PrintedName());

TEST(AttentionKernelEdges, OneKeyIsItsValue) {
    for (const float gain : {1.0F, 40.0F})
        expectExact({.queries = 5, .keys = 1, .headDim = 128, .gain = gain});
}

TEST(AttentionKernelEdges, WidestHead) {
    for (const float gain : {1.0F, 6.0F, 40.0F})
        expectExact({.queries = 16, .keys = 130, .headDim = 256, .gain = gain});
}

TEST(AttentionKernelEdges, ThirtyThousandEqualKeysLoseNoDigits) {
    constexpr std::int64_t keys = 30011;
    constexpr std::int64_t width = 8;
    const std::vector<float> query(width, 0.3F);
    const std::vector<float> allKeys(static_cast<std::size_t>(keys * width), 0.37F);
    const std::vector<float> allValues(static_cast<std::size_t>(keys * width), 0.7F);
    const HeadInputs problem{.queries = 1,
                             .keys = keys,
                             .headDim = width,
                             .q = {query.data(), width},
                             .k = {allKeys.data(), width},
                             .v = {allValues.data(), width}};
    for (const Kernel& kernel : kernels()) {
        const AttentionPartial partial = kernel.run(problem);
        std::vector<float> out(width);
        finalizePartial(partial, out.data(), width);
        for (const float element : out)
            EXPECT_NEAR(element, 0.7F, allowedError) << kernel.name;
    }
}

TEST(AttentionKernelEdges, NanIsSeen) {
    HeadCase attention({.queries = 3, .keys = 40, .headDim = 16});
    Tensor q = testing::randomTensor({3, 16}, 9);
    q.data<float>()[16 + 5] = std::numeric_limits<float>::quiet_NaN();
    HeadInputs problem = attention.problem();
    problem.q = {q.data<float>().data(), 16};
    for (const Kernel& kernel : kernels()) {
        std::vector<float> out(48);
        finalizePartial(kernel.run(problem), out.data(), 16);
        EXPECT_TRUE(std::isfinite(out[0])) << kernel.name;
        EXPECT_TRUE(std::isnan(out[16])) << kernel.name;
    }
}

TEST(AttentionKernels, StoreNarrowResultsInNarrowRows) {
    for (const float gain : {1.0F, 6.0F, 40.0F}) {
        const HeadCase attention(
            {.queries = 7, .keys = 90, .headDim = 24, .gain = gain, .storage = DType::BF16});
        const std::vector<double> expected = attention.reference();
        for (const Kernel& kernel : kernels()) {
            std::vector<BFloat16> out(expected.size());
            finalizePartial(kernel.run(attention.problem()), OutputRows(out.data(), 24));
            for (std::size_t i = 0; i < out.size(); ++i)
                ASSERT_NEAR(static_cast<double>(toFloat(out[i])), expected[i], allowedErrorOf(attention.spec))
                    << kernel.name;
        }
    }
}

}  // namespace
}  // namespace meshreel
