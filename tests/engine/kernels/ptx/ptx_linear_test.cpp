// SPDX-License-Identifier: GPL-3.0-or-later
// Linear layers of PTX in the interpreter: their numbers, their addresses on whole grids, and that a mistake
// in their text does not pass.
#include "engine/kernels/ptx/ptx_linear.h"

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

class PtxLinear : public ::testing::TestWithParam<PtxLinearCase> {};

TEST_P(PtxLinear, ComputesItsDefinition) {
    const PtxLinearResult result = computeLinear(GetParam(), ptxLinear(GetParam().factors).text);
    // Sums of some thousand products in f32; activations by the card's exponential.
    EXPECT_LT(result.error, 2e-5);
    EXPECT_EQ(result.work.bankConflicts, 0);
}

constexpr PtxFactors ofBf16 = PtxFactors::Bf16;
constexpr PtxFactors ofInt8 = PtxFactors::Int8;
// Two by two blocks, and a ragged one each way.
constexpr std::uint32_t raggedRows = 2 * ptxLinearBlock + 37;
constexpr std::uint32_t raggedOuts = 2 * ptxLinearBlock + 60;

INSTANTIATE_TEST_SUITE_P(
    Layers, PtxLinear,
    ::testing::Values(PtxLinearCase{"Bf16Of1536", ofBf16, raggedRows, raggedOuts, 1536},
                      PtxLinearCase{"Bf16Of5120IntoBf16", ofBf16, raggedRows, raggedOuts, 5120,
                                    LinearActivation::None, true, false, false, true},
                      PtxLinearCase{"Bf16GeluTanh", ofBf16, 130, 132, 96, LinearActivation::GeluTanh, true,
                                    false, false, true},
                      PtxLinearCase{"Bf16GeluErf", ofBf16, 130, 132, 96, LinearActivation::GeluErf, true},
                      PtxLinearCase{"Bf16Silu", ofBf16, 130, 132, 96, LinearActivation::Silu, true},
                      PtxLinearCase{"Bf16GateAdded", ofBf16, 130, 132, 96, LinearActivation::None, true, true,
                                    true},
                      PtxLinearCase{"Bf16GateAddedToBf16", ofBf16, 130, 132, 96, LinearActivation::Silu, true,
                                    true, true, true},
                      PtxLinearCase{"Bf16OfOneStep", ofBf16, 3, 4, 32},
                      PtxLinearCase{"Bf16OfTwoSteps", ofBf16, 3, 4, 64},
                      PtxLinearCase{"Int8Of1536", ofInt8, raggedRows, raggedOuts, 1536},
                      PtxLinearCase{"Int8Of5120IntoBf16", ofInt8, raggedRows, raggedOuts, 5120,
                                    LinearActivation::None, true, false, false, true},
                      PtxLinearCase{"Int8GeluGateAdded", ofInt8, 130, 132, 128, LinearActivation::GeluTanh,
                                    true, true, true},
                      PtxLinearCase{"Int8OfOneRow", ofInt8, 1, 4, 128}),
    testing::PrintedName());

TEST(PtxLinearText, FitsEveryCardSinceAmpere) {
    for (const PtxFactors factors : {ofBf16, ofInt8}) {
        const PtxKernel kernel = ptxLinear(factors);
        const testing::PtxProgram program = testing::parsePtx(kernel.text, "linear.ptx");
        const testing::PtxEntry& entry = program.entry(kernel.entry);
        EXPECT_EQ(program.target, 80);
        EXPECT_EQ(program.version, 70);
        EXPECT_EQ(entry.threads, kernel.threads);
        EXPECT_EQ(entry.sharedBytes, 48U * 1024U);
        // A driver has room to move loads ahead of products.
        EXPECT_LE(entry.liveRegisters, 232);
    }
}

struct Grid {
    std::string_view name;
    PtxLinearCase linear;
};

void PrintTo(const Grid& grid, std::ostream* stream) {
    *stream << grid.name;
}

class PtxLinearGrid : public ::testing::TestWithParam<Grid> {};

TEST_P(PtxLinearGrid, ReachesItsTensorsAndNothingBesides) {
    const PtxLinearCase& linear = GetParam().linear;
    const std::uint32_t across = (linear.outs + ptxLinearBlock - 1) / ptxLinearBlock;
    const std::uint32_t down = (linear.rows + ptxLinearBlock - 1) / ptxLinearBlock;
    const auto written =
        reachLinear(linear, ptxLinear(linear.factors).text,
                    {{0, 0}, {across / 2, down / 2}, {across - 1, 0}, {0, down - 1}, {across - 1, down - 1}});
    const std::size_t bytes = linear.narrowY ? 2 : 4;
    const std::uint32_t lastRows = linear.rows - (down - 1) * ptxLinearBlock;
    const std::uint32_t lastOuts = linear.outs - (across - 1) * ptxLinearBlock;
    EXPECT_EQ(written.front().written, ptxLinearBlock * std::min(linear.outs, ptxLinearBlock) * bytes);
    EXPECT_EQ(written.front().writtenFrom, written.front().address);
    // The last number of the grid is a block of the last ragged rows and outputs.
    EXPECT_EQ(written.back().written, std::size_t{lastRows} * lastOuts * bytes);
    EXPECT_EQ(written.back().writtenTo, written.back().address + written.back().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Wan, PtxLinearGrid,
    ::testing::Values(
        Grid{"Query1_3B", {"", ofBf16, 32760, 1536, 1536, LinearActivation::None, true, true, true}},
        Grid{"Up1_3B", {"", ofBf16, 32760, 8960, 1536, LinearActivation::GeluTanh, true, false, false, true}},
        Grid{"Down14B", {"", ofBf16, 75600, 5120, 13824, LinearActivation::None, true, true, true}},
        Grid{"Head14B", {"", ofBf16, 75600, 64, 5120, LinearActivation::None, true}},
        Grid{"Int8Up14B",
             {"", ofInt8, 8192, 13824, 5120, LinearActivation::GeluTanh, true, false, false, true}}),
    testing::PrintedName());

TEST(PtxLinearGrid, ComputesEachBlockOnce) {
    // Blocks go down before they go across, in bands of eight rows of blocks; the last band has three.
    const PtxLinearCase linear{"", ofBf16, 11 * ptxLinearBlock, 3 * ptxLinearBlock, 32};
    std::vector<testing::PtxGrid> blocks;
    for (std::uint32_t y = 0; y < 11; ++y)
        for (std::uint32_t x = 0; x < 3; ++x)
            blocks.push_back({x, y});
    std::vector<std::uint64_t> begins;
    for (const auto& y : reachLinear(linear, ptxLinear(ofBf16).text, blocks))
        begins.push_back(y.writtenFrom - y.address);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t row = 0; row < 11; ++row)
        for (std::uint64_t out = 0; out < 3; ++out)
            expected.push_back((row * ptxLinearBlock * (linear.outs + 16) + out * ptxLinearBlock) *
                               sizeof(float));
    EXPECT_THAT(begins, ::testing::UnorderedElementsAreArray(expected));
}

// ---- A mistake does not pass ----

struct Mistake {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    int which;
    std::string_view complaint;  ///< empty: the numbers are wrong
};

void PrintTo(const Mistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

class PtxLinearMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(PtxLinearMistake, IsFound) {
    const Mistake& mistake = GetParam();
    const std::string text = mutated(ptxLinear(ofBf16).text, mistake.from, mistake.to, mistake.which);
    const PtxLinearCase linear{"", ofBf16, 130, 132, 256, LinearActivation::None, true, false, true};
    PtxLinearResult result;
    const std::string complaint = complaintOf([&] { result = computeLinear(linear, text); });
    if (mistake.complaint.empty()) {
        EXPECT_EQ(complaint, "");
        EXPECT_GT(result.error, 0.01);
        return;
    }
    EXPECT_THAT(complaint, HasSubstr(std::string(mistake.complaint)));
    EXPECT_THAT(complaint, StartsWith("linear.ptx:"));
}

INSTANTIATE_TEST_SUITE_P(
    Text, PtxLinearMistake,
    ::testing::Values(
        Mistake{"NoWaitForAStage", "    cp.async.wait_group 1;\n", "", 0,
                "while a cp.async into it is on its way"},
        Mistake{"AWaitTooShort", "cp.async.wait_group 1;", "cp.async.wait_group 2;", 0,
                "while a cp.async into it is on its way"},
        Mistake{"NoBarrierOfAStage", "    bar.sync 0;\n", "", 0, "without a bar.warp.sync between"},
        Mistake{"ABarrierOfAWarpForAStage", "bar.sync 0;", "bar.warp.sync 0xffffffff;", 0,
                "is read, and nothing was written there"},
        Mistake{"NoBarrierBeforeTheSums", "    bar.sync 0;\n", "", 1, "without a bar.sync between"},
        Mistake{"NoBarrierBehindSumsThatWait", "    bar.warp.sync 4294967295;\n", "", 0,
                "without a bar.warp.sync between"},
        Mistake{"NoBarrierBeforeTheNextSumsWait", "    bar.warp.sync 4294967295;\n", "", 1,
                "without a bar.warp.sync between"},
        Mistake{"AFragmentShifted",
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%xWord0, %xWord1, %xWord2, %xWord3}",
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%xWord1, %xWord2, %xWord3, %xWord0}", 0, ""},
        Mistake{"FactorsTransposed", "m8n8.x4.shared.b16", "m8n8.x4.trans.shared.b16", 0, ""},
        Mistake{"AMisalignedCopy", "[%stagePlace+2048]", "[%stagePlace+2056]", 0,
                "is no multiple of 16 bytes"},
        Mistake{"AMisalignedStore", "st.global.v4.f32 [%address]", "st.global.v4.f32 [%address+8]", 0,
                "is no multiple of 16 bytes"},
        Mistake{"AStoreBehindTheEnd", "setp.lt.u32 %isThere_4, %row_4, %rows_2",
                "setp.ge.u32 %isThere_4, %row_4, 0", 0, "of y, which has"},
        Mistake{"AStageTooMany", "tiles[49152]", "tiles[65536]", 0,
                "static shared memory takes 65536 bytes, and a block has 49152"},
        Mistake{"ForAnOlderCard", "sm_80", "sm_75", 0, "needs .target sm_80"},
        Mistake{"ForAnOlderDriver", ".version 7.0\n.target sm_80", ".version 6.5\n.target sm_75", 0,
                "needs .version 7.0"}),
    testing::PrintedName());

}  // namespace
}  // namespace meshreel
