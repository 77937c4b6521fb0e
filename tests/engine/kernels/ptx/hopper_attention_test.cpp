// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of PTX for compute capability 9.0 in the interpreter: its numbers, partials that merge, its
// addresses on whole grids, and that a mistake in its text does not pass.
#include "engine/kernels/ptx/hopper_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/kernels/gpu/attention_constants.h"
#include "ptx_attention_case.h"
#include "ptx_texts.h"
#include "tests/support/printed_name.h"
#include "tests/support/ptx/ptx_parser.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using HopperInto = PtxAttentionCase::Into;

/// Weights are rounded to bf16, within a 512th of each; values are about 1, and 5 at most.
constexpr double hopperAllowed = 1e-2;

struct HopperAttentionCase {
    std::uint32_t keysOfStep;
    PtxAttentionCase attention;

    [[nodiscard]] PtxKernel kernel() const { return hopperAttention({attention.size.head, keysOfStep}); }
};

void PrintTo(const HopperAttentionCase& each, std::ostream* stream) {
    *stream << each.attention.name;
}

class HopperAttention : public ::testing::TestWithParam<HopperAttentionCase> {};

TEST_P(HopperAttention, ComputesItsDefinition) {
    const PtxAttentionCase& attention = GetParam().attention;
    const PtxAttentionResult result = computeAttention(attention, GetParam().kernel());
    EXPECT_LT(result.error, attention.into == HopperInto::NarrowRows ? 2 * hopperAllowed : hopperAllowed);
    EXPECT_LT(result.logError, 1e-4);
    EXPECT_LE(result.mostAbove, static_cast<double>(attentionSlack) + 1e-4);
    EXPECT_EQ(result.work.bankConflicts, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Heads, HopperAttention,
    ::testing::Values(
        // Two blocks of queries, the second one ragged; steps of keys with a ragged last one.
        HopperAttentionCase{128, {"Of128", {128, 128}, 1, 128 + 3, 2 * 128 + 9}},
        HopperAttentionCase{160, {"Of128ByMoreKeys", {128, 128}, 1, 37, 2 * 160 + 1}},
        HopperAttentionCase{128, {"Of96", {96, 128}, 1, 70, 2 * 128 + 1}},
        HopperAttentionCase{160, {"Of96ByMoreKeys", {96, 128}, 1, 70, 160 + 33}},
        HopperAttentionCase{128, {"Of64", {64, 128}, 2, 70, 3 * 128 - 1}},
        HopperAttentionCase{160, {"Of64ByMoreKeys", {64, 128}, 1, 20, 3 * 160}},
        HopperAttentionCase{128, {"Of32", {32, 128}, 2, 128 + 7, 128 - 1}},
        HopperAttentionCase{160, {"Of32ByMoreKeys", {32, 128}, 1, 7, 2 * 160 + 3}},
        HopperAttentionCase{128, {"Of128IntoRows", {128, 128}, 1, 130, 33, HopperInto::WideRows}},
        HopperAttentionCase{128, {"Of128IntoBf16", {128, 128}, 1, 20, 130, HopperInto::NarrowRows}},
        HopperAttentionCase{160, {"Of96IntoBf16", {96, 128}, 1, 40, 64, HopperInto::NarrowRows}},
        HopperAttentionCase{128, {"WholeSteps", {64, 128}, 1, 128, 2 * 128}},
        HopperAttentionCase{128, {"OneKey", {128, 128}, 1, 5, 1}},
        HopperAttentionCase{128, {"HiddenKeys", {64, 128}, 1, 37, 300, HopperInto::Partial, true}},
        HopperAttentionCase{128,
                            {"LastKeyStandsForMany", {64, 128}, 1, 70, 77, HopperInto::Partial, false, 436}},
        HopperAttentionCase{128, {"OneKeyThatIsHidden", {64, 128}, 1, 5, 1, HopperInto::Partial, true}},
        HopperAttentionCase{128, {"FarScores", {64, 128}, 1, 37, 400, HopperInto::Partial, false, 1, 12.0F}}),
    testing::PrintedName());

TEST(HopperAttentionParts, MergeToTheWhole) {
    for (const std::uint32_t head : {64U, 128U}) {
        const PtxAttentionCase attention{"", {head, 128}, 1, 20, 300};
        EXPECT_LT(computeInTwoParts(attention, 140, hopperAttention({head, 128})), hopperAllowed) << head;
    }
}

TEST(HopperAttentionText, FitsAHopper) {
    for (const HopperAttentionSize& size : hopperAttentionSizes) {
        const PtxKernel kernel = hopperAttention(size);
        const testing::PtxProgram program = testing::parsePtx(kernel.text, "attention.ptx");
        const testing::PtxEntry& entry = program.entry(kernel.entry);
        EXPECT_TRUE(program.isForHopperAlone);
        EXPECT_EQ(entry.threads, kernel.threads);
        EXPECT_LE(kernel.dynamicBytes, 227U * 1024U);
        EXPECT_LE(entry.liveRegisters, 222);
    }
}

TEST(HopperAttentionText, HasNoKernelForOtherHeads) {
    EXPECT_THROW(hopperAttention({80, 128}), Error);
}

struct HopperPlace {
    std::string_view name;
    PtxAttentionCase attention;
    testing::PtxGrid block;
    std::uint32_t rows;  ///< queries that the block writes
};

void PrintTo(const HopperPlace& place, std::ostream* stream) {
    *stream << place.name;
}

class HopperAttentionGrid : public ::testing::TestWithParam<HopperPlace> {};

TEST_P(HopperAttentionGrid, ReachesItsTensorsAndNothingBesides) {
    const PtxAttentionCase& attention = GetParam().attention;
    const auto written =
        reachAttention(attention, hopperAttention({attention.size.head, 128}), GetParam().block);
    const std::size_t first =
        (std::size_t{GetParam().block.y} * attention.queries + std::size_t{GetParam().block.x} * 128) *
        sizeof(float);
    const std::size_t bytes = GetParam().rows * sizeof(float);
    for (std::size_t index = 0; index < written.size(); ++index) {
        const std::size_t each = index == 0 ? attention.size.head : 1;
        EXPECT_EQ(written[index].written, bytes * each);
        EXPECT_EQ(written[index].writtenFrom, written[index].address + first * each);
        EXPECT_EQ(written[index].writtenTo, written[index].address + (first + bytes) * each);
    }
}

// The 14B model at 1280×720×81 has 75,600 tokens: 590 whole blocks of queries and one of 80.
constexpr PtxAttentionCase hopper14{"", {128, 128}, 40, 75600, 520};
constexpr PtxAttentionCase hopper1{"", {128, 128}, 12, 32760, 512, HopperInto::Partial, true};

INSTANTIATE_TEST_SUITE_P(Wan, HopperAttentionGrid,
                         ::testing::Values(HopperPlace{"First", hopper14, {0, 0}, 128},
                                           HopperPlace{"Last", hopper14, {590, 39}, 80},
                                           HopperPlace{"LastOf1_3B", hopper1, {255, 11}, 120}),
                         testing::PrintedName());

// ---- A mistake does not pass ----

struct HopperAttentionMistake {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    int which;
    std::string_view complaint;  ///< empty: the numbers are wrong
};

void PrintTo(const HopperAttentionMistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

class HopperAttentionMistakes : public ::testing::TestWithParam<HopperAttentionMistake> {};

TEST_P(HopperAttentionMistakes, AreFound) {
    const HopperAttentionMistake& mistake = GetParam();
    const PtxKernel kernel = hopperAttention({64, 128});
    const std::string text = mutated(kernel.text, mistake.from, mistake.to, mistake.which);
    const PtxAttentionCase attention{"", {64, 128}, 1, 20, 500};
    PtxAttentionResult result;
    const std::string complaint = complaintOf([&] {
        result = computeAttention(attention, {text, kernel.dynamicBytes});
    });
    if (mistake.complaint.empty()) {
        EXPECT_EQ(complaint, "");
        EXPECT_GT(std::max(result.error, result.logError), 0.05);
        return;
    }
    EXPECT_THAT(complaint, HasSubstr(std::string(mistake.complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Text, HopperAttentionMistakes,
    ::testing::Values(
        HopperAttentionMistake{"NoWaitForKeys", "    @!%stageHasCome bra stageWait_4;\n", "", 0,
                               "without a bar.sync between or an mbarrier"},
        HopperAttentionMistake{"NoWaitForAFreeStage", "    @!%stageHasCome bra stageWait;\n", "", 0,
                               "which products of warp"},
        HopperAttentionMistake{"NoWaitForCopies", "    cp.async.wait_group 1;\n", "", 0, "a product of warp"},
        HopperAttentionMistake{"NoFenceOfCopies", "    fence.proxy.async.shared::cta;\n", "", 0,
                               "without a fence.proxy.async between"},
        HopperAttentionMistake{"NoFenceOfProducts", "    wgmma.fence.sync.aligned;\n", "", 1,
                               "was used since the last wgmma.fence"},
        HopperAttentionMistake{"NoWaitForScores", "    wgmma.wait_group.sync.aligned 1;\n", "", 0,
                               "holds sums of products that are under way"},
        HopperAttentionMistake{"WeightsWrittenWhileTheyMultiply", "    wgmma.wait_group.sync.aligned 0;\n",
                               "", 1, "products that are under way"},
        HopperAttentionMistake{"AReturnBeforeTheLastValues", "    wgmma.wait_group.sync.aligned 0;\n", "", 2,
                               "holds sums of products that are under way"},
        HopperAttentionMistake{"KeysOfAnotherStep", "mov.u32 %stageRead_2, 1;", "mov.u32 %stageRead_2, 3;", 0,
                               "the block hangs"},
        HopperAttentionMistake{"NoRiseOfTheMaximum", "vote.sync.any.pred %anyRaises, %anyRaises, 4294967295;",
                               "mov.pred %anyRaises, %hasNone;", 0, ""},
        HopperAttentionMistake{"KeysBehindTheEndCount", "setp.ge.u32 %hides_2, %nextKey, %keys;",
                               "setp.lt.u32 %hides_2, %nextKey, 0;", 0, ""},
        HopperAttentionMistake{"QueriesBehindTheEndWritten", "setp.lt.u32 %isThere, %partialQuery, %queries;",
                               "setp.ge.u32 %isThere, %partialQuery, 0;", 0, "which has"}),
    testing::PrintedName());

}  // namespace
}  // namespace meshreel
