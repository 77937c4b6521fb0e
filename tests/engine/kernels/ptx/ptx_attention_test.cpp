// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of PTX in the interpreter: its numbers, partials that merge, its addresses on whole grids, and
// that a mistake in its text does not pass.
#include "engine/kernels/ptx/ptx_attention.h"

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
using Into = PtxAttentionCase::Into;

/// Weights are rounded to bf16, within a 512th of each; values are about 1, and 5 at most.
constexpr double allowed = 1e-2;

class PtxAttention : public ::testing::TestWithParam<PtxAttentionCase> {};

TEST_P(PtxAttention, ComputesItsDefinition) {
    const PtxAttentionResult result = computeAttention(GetParam(), ptxAttention(GetParam().size).text);
    EXPECT_LT(result.error, GetParam().into == Into::NarrowRows ? 2 * allowed : allowed);
    EXPECT_LT(result.logError, 1e-4);
    EXPECT_LE(result.mostAbove, static_cast<double>(attentionSlack) + 1e-4);
    EXPECT_EQ(result.work.bankConflicts, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Heads, PtxAttention,
    ::testing::Values(
        // Two blocks of queries and a ragged one; steps of keys with a ragged last one.
        PtxAttentionCase{"Of128", {128, 128}, 2, 2 * 128 + 21, 3 * ptxAttentionKeys + 9},
        PtxAttentionCase{"Of96", {96, 128}, 2, 128 + 1, 2 * ptxAttentionKeys + 1},
        PtxAttentionCase{"Of64", {64, 128}, 3, 128 + 70, 4 * ptxAttentionKeys - 1},
        PtxAttentionCase{"Of32", {32, 128}, 3, 128 + 70, 4 * ptxAttentionKeys - 1},
        PtxAttentionCase{"Of32ByFewer", {32, 64}, 2, 64 + 7, ptxAttentionKeys + 1, Into::NarrowRows},
        PtxAttentionCase{"Of128ByFewer", {128, 64}, 2, 3 * 64 + 21, 3 * ptxAttentionKeys + 9},
        PtxAttentionCase{"Of96ByFewer", {96, 64}, 2, 64 + 1, 2 * ptxAttentionKeys + 1},
        PtxAttentionCase{"Of64ByFewer", {64, 64}, 3, 64 + 60, 4 * ptxAttentionKeys - 1},
        PtxAttentionCase{"Of128IntoRows", {128, 128}, 2, 150, 130, Into::WideRows},
        PtxAttentionCase{"Of128IntoBf16", {128, 128}, 2, 150, 130, Into::NarrowRows},
        PtxAttentionCase{"Of96IntoBf16", {96, 64}, 1, 40, 64, Into::NarrowRows},
        PtxAttentionCase{"Of64IntoRows", {64, 64}, 1, 40, 64, Into::WideRows},
        PtxAttentionCase{"WholeSteps", {128, 128}, 1, 128, 2 * ptxAttentionKeys},
        PtxAttentionCase{"OneKey", {128, 128}, 1, 5, 1},
        PtxAttentionCase{"HiddenKeys", {128, 64}, 1, 70, 200, Into::Partial, true},
        PtxAttentionCase{"LastKeyStandsForMany", {128, 128}, 1, 70, 77, Into::Partial, false, 436},
        PtxAttentionCase{"OneKeyThatIsHidden", {64, 128}, 1, 5, 1, Into::Partial, true},
        PtxAttentionCase{"OneKeyThatIsHiddenIntoRows", {64, 128}, 1, 5, 1, Into::WideRows, true},
        PtxAttentionCase{"FarScores", {128, 128}, 1, 64, 300, Into::Partial, false, 1, 12.0F}),
    testing::PrintedName());

TEST(PtxAttentionParts, MergeToTheWhole) {
    for (const PtxAttentionSize& size : ptxAttentionSizes) {
        const PtxAttentionCase attention{"", size, 2, 70, 150};
        EXPECT_LT(computeInTwoParts(attention, 70, ptxAttention(size).text), allowed) << size.head;
    }
}

TEST(PtxAttentionText, FitsEveryCardSinceAmpere) {
    for (const PtxAttentionSize& size : ptxAttentionSizes) {
        const PtxKernel kernel = ptxAttention(size);
        const testing::PtxProgram program = testing::parsePtx(kernel.text, "attention.ptx");
        const testing::PtxEntry& entry = program.entry(kernel.entry);
        EXPECT_EQ(program.target, 80);
        EXPECT_EQ(entry.threads, kernel.threads);
        EXPECT_LE(entry.sharedBytes, 48U * 1024U);
        EXPECT_LE(entry.liveRegisters, 200);
    }
}

TEST(PtxAttentionText, HasNoKernelForOtherHeads) {
    EXPECT_THROW(ptxAttention({80, 128}), Error);
}

struct Place {
    std::string_view name;
    PtxAttentionCase attention;
    testing::PtxGrid block;
    std::uint32_t rows;  ///< queries that the block writes
};

void PrintTo(const Place& place, std::ostream* stream) {
    *stream << place.name;
}

class PtxAttentionGrid : public ::testing::TestWithParam<Place> {};

TEST_P(PtxAttentionGrid, ReachesItsTensorsAndNothingBesides) {
    const PtxAttentionCase& attention = GetParam().attention;
    const auto written = reachAttention(attention, ptxAttention(attention.size).text, GetParam().block);
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
constexpr PtxAttentionCase wan14{"", {128, 128}, 40, 75600, 1030};
constexpr PtxAttentionCase wan1{"", {128, 128}, 12, 32760, 512, Into::Partial, true};

INSTANTIATE_TEST_SUITE_P(Wan, PtxAttentionGrid,
                         ::testing::Values(Place{"First", wan14, {0, 0}, 128},
                                           Place{"Middle", wan14, {300, 20}, 128},
                                           Place{"Ragged", wan14, {590, 0}, 80},
                                           Place{"Last", wan14, {590, 39}, 80},
                                           Place{"LastOf1_3B", wan1, {255, 11}, 120}),
                         testing::PrintedName());

// ---- A mistake does not pass ----

struct AttentionMistake {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    int which;
    std::string_view complaint;  ///< empty: the numbers are wrong
};

void PrintTo(const AttentionMistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

class PtxAttentionMistakes : public ::testing::TestWithParam<AttentionMistake> {};

TEST_P(PtxAttentionMistakes, AreFound) {
    const AttentionMistake& mistake = GetParam();
    const std::string text = mutated(ptxAttention({128, 128}).text, mistake.from, mistake.to, mistake.which);
    const PtxAttentionCase attention{"", {128, 128}, 1, 130, 200};
    PtxAttentionResult result;
    const std::string complaint = complaintOf([&] { result = computeAttention(attention, text); });
    if (mistake.complaint.empty()) {
        EXPECT_EQ(complaint, "");
        EXPECT_GT(std::max(result.error, result.logError), 0.05);
        return;
    }
    EXPECT_THAT(complaint, HasSubstr(std::string(mistake.complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Text, PtxAttentionMistakes,
    ::testing::Values(
        AttentionMistake{"NoWaitForQueries", "    cp.async.wait_all;\n", "", 0,
                         "while a cp.async into it is on its way"},
        AttentionMistake{"NoBarrierBeforeQueriesAreRead", "bar.sync 0;", "bar.warp.sync 0xffffffff;", 0,
                         "is read, and nothing was written there"},
        AttentionMistake{"NoBarrierBehindQueries", "bar.sync 0;", "bar.warp.sync 0xffffffff;", 1,
                         "without a bar.sync between"},
        AttentionMistake{"NoBarrierAtAll", "    bar.sync 0;\n", "", 3, "without a bar.warp.sync between"},
        AttentionMistake{"NoWaitForKeys", "    cp.async.wait_group 0;\n", "", 0,
                         "while a cp.async into it is on its way"},
        AttentionMistake{"NoBarrierOfKeys", "bar.sync 0;", "bar.warp.sync 0xffffffff;", 2,
                         "without a bar.sync between"},
        AttentionMistake{"NoWaitForValues", "    cp.async.wait_group 1;\n", "", 0,
                         "while a cp.async into it is on its way"},
        AttentionMistake{"NoBarrierOfValues", "bar.sync 0;", "bar.warp.sync 0xffffffff;", 3,
                         "is read, and nothing was written there"},
        AttentionMistake{"AFragmentOfKeysShifted", "{%keyWord0, %keyWord1}, ", "{%keyWord1, %keyWord0}, ", 0,
                         ""},
        AttentionMistake{"ValuesNotTransposed", ".x4.trans.shared", ".x4.shared", 0, ""},
        AttentionMistake{"NoRiseOfTheMaximum", "vote.sync.any.pred %anyRaises, %anyRaises, 4294967295;",
                         "mov.pred %anyRaises, %hasNone;", 0, ""},
        AttentionMistake{"KeysBehindTheEndCount", "setp.ge.u32 %hides, %nextKey, %keys;",
                         "setp.lt.u32 %hides, %nextKey, 0;", 0, ""},
        AttentionMistake{"AMisalignedOutput", "[%partialAddress+32]", "[%partialAddress+36]", 0,
                         "is no multiple of 8 bytes"},
        AttentionMistake{"QueriesBehindTheEndWritten", "setp.lt.u32 %isThere, %partialQuery, %queries;",
                         "setp.ge.u32 %isThere, %partialQuery, 0;", 0, "which has"}),
    testing::PrintedName());

}  // namespace
}  // namespace meshreel
