// SPDX-License-Identifier: GPL-3.0-or-later
// Linear layers of PTX for compute capability 9.0 in the interpreter: their numbers, their addresses on whole
// grids, and that a mistake in their text does not pass.
#include "engine/kernels/ptx/hopper_linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ptx_linear_case.h"
#include "ptx_texts.h"
#include "tests/support/printed_name.h"
#include "tests/support/ptx/ptx_parser.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

PtxLinearLaunch launchOf(const PtxKernel& kernel, std::uint32_t mostBlocks = 0) {
    return {.blockRows = hopperLinearRows,
            .blockOuts = hopperLinearOuts,
            .dynamicBytes = kernel.dynamicBytes,
            .mostBlocks = mostBlocks};
}

class HopperLinear : public ::testing::TestWithParam<PtxLinearCase> {};

TEST_P(HopperLinear, ComputesItsDefinition) {
    const PtxKernel kernel = hopperLinear(GetParam().factors);
    const PtxLinearResult result = computeLinear(GetParam(), kernel.text, launchOf(kernel));
    EXPECT_LT(result.error, 2e-5);
    EXPECT_EQ(result.work.bankConflicts, 0);
}

constexpr PtxFactors hopperBf16 = PtxFactors::Bf16;
constexpr PtxFactors hopperInt8 = PtxFactors::Int8;

INSTANTIATE_TEST_SUITE_P(
    Layers, HopperLinear,
    ::testing::Values(
        // Two by two tiles, the second ones ragged.
        PtxLinearCase{"Bf16Of1536", hopperBf16, hopperLinearRows + 5, hopperLinearOuts + 12, 1536},
        PtxLinearCase{"Bf16Of5120IntoBf16", hopperBf16, 3, 60, 5120, LinearActivation::None, true, false,
                      false, true},
        PtxLinearCase{"Bf16GeluTanh", hopperBf16, 130, 260, 192, LinearActivation::GeluTanh, true, false,
                      false, true},
        PtxLinearCase{"Bf16GeluErf", hopperBf16, 20, 260, 64, LinearActivation::GeluErf, true},
        PtxLinearCase{"Bf16Silu", hopperBf16, 20, 260, 64, LinearActivation::Silu, true},
        PtxLinearCase{"Bf16GateAdded", hopperBf16, 130, 260, 64, LinearActivation::None, true, true, true},
        PtxLinearCase{"Bf16GateAddedToBf16", hopperBf16, 20, 260, 64, LinearActivation::Silu, true, true,
                      true, true},
        PtxLinearCase{"Bf16OfOneStep", hopperBf16, 3, 4, 64},
        PtxLinearCase{"Bf16OfTwoSteps", hopperBf16, 3, 4, 128},
        PtxLinearCase{"Int8Of1536", hopperInt8, 5, hopperLinearOuts + 12, 1536},
        PtxLinearCase{"Int8Of5120IntoBf16", hopperInt8, 3, 60, 5120, LinearActivation::None, true, false,
                      false, true},
        PtxLinearCase{"Int8GeluGateAdded", hopperInt8, 130, 260, 128, LinearActivation::GeluTanh, true, true,
                      true},
        PtxLinearCase{"Int8OfOneRow", hopperInt8, 1, 4, 128}),
    testing::PrintedName());

TEST(HopperLinearTurns, ComputeAllTilesByFewBlocks) {
    // Of a step or two each, so that several tiles are on their way at a time.
    for (const PtxFactors factors : {hopperBf16, hopperInt8}) {
        const PtxKernel kernel = hopperLinear(factors);
        const PtxLinearCase linear{
            "",   factors, 2 * hopperLinearRows + 5, hopperLinearOuts + 12, 128, LinearActivation::None, true,
            true, true};
        const std::uint32_t blocks = factors == hopperBf16 ? 4 : 1;
        EXPECT_LT(computeLinear(linear, kernel.text, launchOf(kernel, blocks)).error, 2e-5);
    }
}

TEST(HopperLinearText, FitsAHopper) {
    for (const PtxFactors factors : {hopperBf16, hopperInt8}) {
        const PtxKernel kernel = hopperLinear(factors);
        const testing::PtxProgram program = testing::parsePtx(kernel.text, "linear.ptx");
        const testing::PtxEntry& entry = program.entry(kernel.entry);
        EXPECT_TRUE(program.isForHopperAlone);
        EXPECT_EQ(program.version, 80);
        EXPECT_EQ(entry.threads, kernel.threads);
        EXPECT_EQ(entry.sharedBytes, 0U);
        EXPECT_LE(kernel.dynamicBytes, 227U * 1024U);
        // A driver has room to move loads ahead of products.
        EXPECT_LE(entry.liveRegisters, 200);
    }
}

struct HopperGrid {
    std::string_view name;
    PtxLinearCase linear;
};

void PrintTo(const HopperGrid& grid, std::ostream* stream) {
    *stream << grid.name;
}

class HopperLinearGrid : public ::testing::TestWithParam<HopperGrid> {};

TEST_P(HopperLinearGrid, ReachesItsTensorsAndNothingBesides) {
    const PtxLinearCase& linear = GetParam().linear;
    const PtxKernel kernel = hopperLinear(linear.factors);
    const std::uint32_t across = (linear.outs + hopperLinearOuts - 1) / hopperLinearOuts;
    const std::uint32_t down = (linear.rows + hopperLinearRows - 1) / hopperLinearRows;
    const auto written =
        reachLinear(linear, kernel.text, {{0, 0}, {0, down - 1}, {across - 1, down - 1}}, launchOf(kernel));
    const std::size_t bytes = linear.narrowY ? 2 : 4;
    const std::uint32_t lastRows = linear.rows - (down - 1) * hopperLinearRows;
    const std::uint32_t lastOuts = linear.outs - (across - 1) * hopperLinearOuts;
    EXPECT_EQ(written.front().written, hopperLinearRows * std::min(linear.outs, hopperLinearOuts) * bytes);
    EXPECT_EQ(written.front().writtenFrom, written.front().address);
    // The last number of the grid is a tile of the last ragged rows and outputs.
    EXPECT_EQ(written.back().written, std::size_t{lastRows} * lastOuts * bytes);
    EXPECT_EQ(written.back().writtenTo, written.back().address + written.back().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Wan, HopperLinearGrid,
    ::testing::Values(
        HopperGrid{"Query1_3B",
                   {"", hopperBf16, 32760, 1536, 1536, LinearActivation::None, true, true, true}},
        HopperGrid{"Up14B",
                   {"", hopperBf16, 75600, 13824, 512, LinearActivation::GeluTanh, true, false, false, true}},
        HopperGrid{"Head14B", {"", hopperBf16, 75600, 64, 512, LinearActivation::None, true}},
        HopperGrid{"Int8Up1_3B",
                   {"", hopperInt8, 8192, 8960, 512, LinearActivation::GeluTanh, true, false, false, true}}),
    testing::PrintedName());

// ---- A mistake does not pass ----

struct HopperMistake {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    int which;
    std::string_view complaint;  ///< empty: the numbers are wrong
};

void PrintTo(const HopperMistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

class HopperLinearMistake : public ::testing::TestWithParam<HopperMistake> {};

TEST_P(HopperLinearMistake, IsFound) {
    const HopperMistake& mistake = GetParam();
    const PtxKernel kernel = hopperLinear(hopperBf16);
    const std::string text = mutated(kernel.text, mistake.from, mistake.to, mistake.which);
    // A block computes two tiles of six steps each: stages and vectors come round again.
    const PtxLinearCase linear{"", hopperBf16, 20, 260, 384, LinearActivation::None, true, true, true};
    PtxLinearResult result;
    const std::string complaint =
        complaintOf([&] { result = computeLinear(linear, text, launchOf(kernel, 1)); });
    if (mistake.complaint.empty()) {
        EXPECT_EQ(complaint, "");
        EXPECT_GT(result.error, 0.01);
        return;
    }
    EXPECT_THAT(complaint, HasSubstr(std::string(mistake.complaint)));
    EXPECT_THAT(complaint, StartsWith("linear.ptx:"));
}

INSTANTIATE_TEST_SUITE_P(
    Text, HopperLinearMistake,
    ::testing::Values(
        HopperMistake{"NoWaitForAFullStage", "    @!%stageHasCome bra stageWait_2;\n", "", 0,
                      "without a bar.sync between or an mbarrier"},
        HopperMistake{"NoWaitForAFreeStage", "    @!%stageHasCome bra stageWait;\n", "", 0,
                      "which products of warp"},
        HopperMistake{"NoWaitForCopies", "    cp.async.wait_group 2;\n", "", 0,
                      "while a copy into it is on its way"},
        HopperMistake{"AWaitTooShort", "cp.async.wait_group 2;", "cp.async.wait_group 3;", 0,
                      "a product of warp"},
        HopperMistake{"NoFenceOfCopies", "    fence.proxy.async.shared::cta;\n", "", 1,
                      "without a fence.proxy.async between"},
        HopperMistake{"NoFenceOfBarriers", "    fence.proxy.async.shared::cta;\n", "", 0,
                      "the copy engine uses the mbarrier"},
        HopperMistake{"NoBarrierBehindSetUp", "    bar.sync 0;\n", "", 0,
                      "which warp 0 set up, without a bar.sync between"},
        HopperMistake{"NoFenceOfProducts", "    wgmma.fence.sync.aligned;\n", "", 0,
                      "was used since the last wgmma.fence"},
        HopperMistake{"NoWaitForSums", "    wgmma.wait_group.sync.aligned 0;\n", "", 0,
                      "holds sums of products that are under way"},
        HopperMistake{"AStageGivenBackTooEarly", "wgmma.wait_group.sync.aligned 1;",
                      "wgmma.wait_group.sync.aligned 5;", 0, "products"},
        HopperMistake{"AStageNeverGivenBack",
                      "    @%isFirstLane mbarrier.arrive.shared.b64 _, [%stageBarrier];\n", "", 0,
                      "the block hangs"},
        HopperMistake{"FewerBytesExpected", "expect_tx.shared.b64 _, [%vectorsBarrier], %allBytes",
                      "expect_tx.shared.b64 _, [%vectorsBarrier], %vectorBytes", 0,
                      "which the copy engine wrote, without a bar.sync between or an mbarrier"},
        HopperMistake{"NoWaitForVectors",
                      "    mbarrier.try_wait.parity.shared.b64 %vectorsHasCome, [%vectorsBarrier], "
                      "%vectorsParity_2;\n    @!%vectorsHasCome bra vectorsWait_2;\n",
                      "", 0, "while a cp.async.bulk into it is on its way"},
        HopperMistake{"AnotherSlice", "add.u64 %weightHere, %weightHere, 2;",
                      "add.u64 %weightHere, %weightHere, 0;", 0, ""},
        HopperMistake{"SumsAddToThoseOfTheTileBefore", "mov.pred %addsToSums, %isLaterStep;",
                      "mov.pred %addsToSums, %always;", 0, "which nothing was written into"},
        HopperMistake{"ATileThatBeginsAnywhere",
                      "add.u32 %tiles, %tiles, 1023;\n    and.b32 %tiles, %tiles, 4294966272;",
                      "add.u32 %tiles, %tiles, 127;\n    and.b32 %tiles, %tiles, 4294967168;", 0,
                      "begins within a pattern of trades"},
        HopperMistake{"RegistersThatNobodyGives", "dec.sync.aligned.u32 40", "dec.sync.aligned.u32 160", 0,
                      "waits for registers that nobody gives"},
        HopperMistake{"FewerRegistersThanItNeeds", "inc.sync.aligned.u32 232", "inc.sync.aligned.u32 168", 0,
                      "registers hold something here"},
        HopperMistake{"AnOddNumberOfRegisters", "inc.sync.aligned.u32 232", "inc.sync.aligned.u32 228", 0,
                      "takes a multiple of 8"},
        HopperMistake{"RegistersThatADriverDoesNotKnow", ".minnctapersm 1\n", "", 0, "say .minnctapersm 1"},
        HopperMistake{"ForAnyCard", "sm_90a", "sm_90", 0, "needs .target sm_90a"},
        HopperMistake{"ForAnOlderDriver", ".version 8.0", ".version 7.8", 0, "needs .version 8.0"}),
    testing::PrintedName());

TEST(HopperLinearText, NeedsNoMoreSharedMemoryThanALaunchGives) {
    const PtxKernel kernel = hopperLinear(hopperBf16);
    const PtxLinearCase linear{"", hopperBf16, 3, 4, 64};
    PtxLinearLaunch launch = launchOf(kernel);
    launch.dynamicBytes -= 2048;
    EXPECT_THAT(complaintOf([&] { computeLinear(linear, kernel.text, launch); }),
                HasSubstr("lies behind the block's"));
    launch.dynamicBytes = 227 * 1024 + 16;
    EXPECT_THAT(complaintOf([&] { computeLinear(linear, kernel.text, launch); }),
                HasSubstr("bytes of shared memory, and a block has 232448"));
}

}  // namespace
}  // namespace meshreel
