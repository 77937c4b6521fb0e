// SPDX-License-Identifier: GPL-3.0-or-later
// What the interpreter's machine computes, and what it complains about because no card promises a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx_texts.h"
#include "tests/support/ptx/ptx_machine.h"
#include "tests/support/ptx/ptx_matrices.h"
#include "tests/support/ptx/ptx_parser.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ptxLanes;
using testing::PtxWords;

/// Words of memory that a small kernel of two warps reads and writes, by the parameters %from and %to.
constexpr std::size_t wordCount = 256;

struct SmallRun {
    std::vector<std::uint32_t> from = std::vector<std::uint32_t>(wordCount);
    std::vector<std::uint32_t> to = std::vector<std::uint32_t>(wordCount);

    /// Runs a body whose registers %from, %to, %thread, %lane, %warp and %shared, the address of 1,024 bytes,
    /// are set. The bytes from %from + 4 · thread on are its own.
    testing::PtxWork run(std::string_view body) {
        const std::string text =
            ".version 7.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry small(.param .u64 a, .param .u64 b)\n.reqntid 64\n{\n"
            ".reg .u64 %from, %to, %mine, %his;\n.reg .u32 %thread, %lane, %warp, %shared, %i, %j;\n"
            ".reg .f32 %x, %y, %f<4>;\n.reg .b32 %w<8>;\n.reg .pred %p, %q;\n"
            ".shared .align 128 .b8 tile[1024];\n"
            "ld.param.u64 %from, [a];\nld.param.u64 %to, [b];\nmov.u32 %thread, %tid.x;\n"
            "and.b32 %lane, %thread, 31;\nshr.u32 %warp, %thread, 5;\nmov.u32 %shared, tile;\n" +
            std::string(body) + "ret;\n}\n";
        const testing::PtxProgram program = testing::parsePtx(text, "small.ptx");
        testing::PtxMemory memory;
        const std::array addresses{memory.add("from", std::as_writable_bytes(std::span(from))),
                                   memory.add("to", std::as_writable_bytes(std::span(to)))};
        return testing::runPtxGrid(program, program.entry("small"), memory, {},
                                   std::as_bytes(std::span(addresses)));
    }

    std::string complaint(std::string_view body) {
        return complaintOf([&] { run(body); });
    }
};

TEST(PtxMachine, ComputesAWordForEachThread) {
    SmallRun run;
    run.run("mad.wide.u32 %mine, %thread, 4, %to;\nmul.lo.u32 %i, %thread, 3;\nst.global.b32 [%mine], %i;\n");
    for (std::uint32_t thread = 0; thread < 64; ++thread)
        EXPECT_EQ(run.to.at(thread), 3 * thread);
}

TEST(PtxMachine, TakesLanesApartAndTogetherAgain) {
    SmallRun run;
    run.run(
        "mov.u32 %i, 0;\nmov.u32 %j, 0;\n"
        "more:\nadd.u32 %i, %i, %j;\nadd.u32 %j, %j, 1;\nsetp.lt.u32 %p, %j, %lane;\n@%p bra more;\n"
        "bar.warp.sync 0xffffffff;\nmad.wide.u32 %mine, %thread, 4, %to;\nst.global.b32 [%mine], %i;\n");
    for (std::uint32_t lane = 1; lane < 32; ++lane)
        EXPECT_EQ(run.to.at(lane), lane * (lane - 1) / 2);
}

TEST(PtxMachine, ComplainsAboutSharedMemoryThatNothingWrote) {
    EXPECT_THAT(SmallRun().complaint("ld.shared.u32 %i, [%shared+12];\n"),
                HasSubstr("ld.shared.u32: shared byte 12 is read, and nothing was written there"));
}

constexpr std::string_view crossing =
    "mad.lo.u32 %i, %thread, 4, %shared;\nst.shared.u32 [%i], %thread;\n"
    "bar.sync 0;\n"
    "xor.b32 %j, %thread, 63;\nmad.lo.u32 %i, %j, 4, %shared;\nld.shared.u32 %j, [%i];\n"
    "mad.wide.u32 %mine, %thread, 4, %to;\nst.global.b32 [%mine], %j;\n";

TEST(PtxMachine, CarriesWordsBetweenWarpsAcrossABarrier) {
    SmallRun run;
    run.run(crossing);
    EXPECT_EQ(run.to.at(0), 63U);
    EXPECT_EQ(run.to.at(63), 0U);
}

TEST(PtxMachine, ComplainsAboutAMissingBarrierBetweenWarps) {
    EXPECT_THAT(SmallRun().complaint(mutated(std::string(crossing), "bar.sync 0;\n", "")),
                HasSubstr("is read, and nothing was written there"));  // the other warp has not come so far
    EXPECT_THAT(SmallRun().complaint(mutated(std::string(crossing), "xor.b32 %j, %thread, 63;\n",
                                             "xor.b32 %j, %thread, 63;\nst.shared.u32 [%shared], %j;\n")),
                HasSubstr("write shared byte 0 without a bar.sync between"));
    EXPECT_THAT(SmallRun().complaint("mad.lo.u32 %i, %thread, 4, %shared;\nst.shared.u32 [%i], %thread;\n"
                                     "and.b32 %j, %lane, 0;\nmad.lo.u32 %i, %j, 4, %shared;\n"
                                     "bar.warp.sync 0xffffffff;\nld.shared.u32 %j, [%i];\n"),
                HasSubstr("warp 1 reads shared byte 0, which warp 0 wrote, without a bar.sync between"));
}

TEST(PtxMachine, ComplainsAboutAWriteOverWhatAnotherWarpReads) {
    EXPECT_THAT(SmallRun().complaint(std::string(crossing) + "mad.lo.u32 %i, %thread, 4, %shared;\n"
                                                             "setp.eq.u32 %p, %warp, 1;\n"
                                                             "@%p st.shared.u32 [%i], %thread;\n"),
                HasSubstr("which another warp reads, without a bar.sync between"));
}

TEST(PtxMachine, ComplainsAboutAMissingBarrierWithinAWarp) {
    const std::string within =
        mutated(std::string(crossing), "xor.b32 %j, %thread, 63", "xor.b32 %j, %thread, 31");
    EXPECT_EQ(SmallRun().complaint(mutated(within, "bar.sync 0;", "bar.warp.sync 0xffffffff;")), "");
    EXPECT_THAT(SmallRun().complaint(mutated(within, "bar.sync 0;\n", "")),
                HasSubstr("of its warp wrote, without a bar.warp.sync between"));
}

constexpr std::string_view copying =
    "mad.wide.u32 %mine, %lane, 16, %from;\nmad.lo.u32 %i, %lane, 16, %shared;\nsetp.eq.u32 %p, %warp, 0;\n"
    "@%p cp.async.cg.shared.global [%i], [%mine], 16;\ncp.async.commit_group;\n"
    "cp.async.wait_group 0;\nbar.sync 0;\n"
    "ld.shared.u32 %j, [%i];\nmad.wide.u32 %his, %thread, 4, %to;\nst.global.b32 [%his], %j;\n";

TEST(PtxMachine, LandsCopiesWhenTheyAreWaitedFor) {
    SmallRun run;
    for (std::size_t index = 0; index < run.from.size(); ++index)
        run.from.at(index) = static_cast<std::uint32_t>(index);
    run.run(copying);
    EXPECT_EQ(run.to.at(5), 20U);
    EXPECT_EQ(run.to.at(32 + 5), 20U);
}

TEST(PtxMachine, ComplainsAboutAReadOfACopyOnItsWay) {
    EXPECT_THAT(SmallRun().complaint(mutated(std::string(copying), "wait_group 0", "wait_group 1")),
                HasSubstr("is read while a cp.async into it is on its way; wait for its group first"));
    EXPECT_THAT(SmallRun().complaint(mutated(std::string(copying), "cp.async.wait_group 0;\n", "")),
                HasSubstr("is read while a cp.async into it is on its way"));
}

TEST(PtxMachine, ComplainsAboutACopyThatWasWaitedForByAnotherWarpAlone) {
    EXPECT_THAT(SmallRun().complaint(mutated(std::string(copying), "bar.sync 0;\n", "")),
                HasSubstr("which warp 0 wrote, without a bar.sync between"));
}

TEST(PtxMachine, ComplainsAboutAReturnBeforeCopiesCame) {
    EXPECT_THAT(SmallRun().complaint("cp.async.cg.shared.global [%shared], [%from], 16;\n"),
                HasSubstr("is written while a cp.async into it is on its way"));
    EXPECT_THAT(SmallRun().complaint("setp.eq.u32 %p, %thread, 0;\n"
                                     "@%p cp.async.cg.shared.global [%shared], [%from], 16;\n"),
                HasSubstr("ret: lane 0 returns while copies of it are on their way"));
}

TEST(PtxMachine, ComplainsAboutAddressesOffATensorOrItsAlignment) {
    EXPECT_THAT(SmallRun().complaint("ld.global.u32 %i, [%from+1024];\n"),
                HasSubstr("is byte 1024 of from, which has 1024"));
    EXPECT_THAT(SmallRun().complaint("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%from+8];\n"),
                HasSubstr("is no multiple of 16 bytes"));
    EXPECT_THAT(SmallRun().complaint("mov.f32 %x, 0f00000000;\nst.shared.v2.f32 [%shared+4], {%x, %x};\n"),
                HasSubstr("the shared address 4 is no multiple of 8 bytes"));
    EXPECT_THAT(SmallRun().complaint("st.shared.u32 [%shared+1024], %i;\n"),
                HasSubstr("may be read before it is written"));
    EXPECT_THAT(SmallRun().complaint("st.shared.u32 [%shared+1024], %thread;\n"),
                HasSubstr("lies behind the block's 1024 bytes"));
}

TEST(PtxMachine, ComplainsWhereLanesMustMeetAndDoNot) {
    EXPECT_THAT(SmallRun().complaint("setp.lt.u32 %p, %lane, 7;\n@%p bar.sync 0;\n"),
                HasSubstr("only the lanes 0x0000007f come here, and all of a warp must"));
    EXPECT_THAT(SmallRun().complaint("setp.eq.u32 %p, %warp, 0;\n@%p bra away;\nbar.sync 0;\naway:\n"),
                HasSubstr("has returned while others wait at a barrier"));
}

TEST(PtxMachine, ComplainsAboutWarpsAtDifferentBarriers) {
    EXPECT_THAT(SmallRun().complaint("setp.eq.u32 %p, %warp, 0;\n@%p bra one;\nbar.sync 1;\nbra end;\n"
                                     "one:\nbar.sync 2;\nend:\n"),
                HasSubstr("warps wait at the barriers 2 and 1, and none can go on"));
}

TEST(PtxMachine, ComplainsAboutABlockThatDoesNotEnd) {
    EXPECT_THAT(SmallRun().complaint("again:\nbra again;\n"), HasSubstr("the block does not end"));
}

TEST(PtxMachine, CountsLanesThatMeetInABank) {
    EXPECT_EQ(SmallRun().run(copying).bankConflicts, 0);
    EXPECT_EQ(SmallRun()
                  .run(mutated(std::string(copying), "%lane, 16, %shared", "%lane, 32, %shared"))
                  .bankConflicts,
              4);  // eight lanes meet in twos, four times
}

// ---- Fragments, against the plain product of matrices that are laid out by the tables of the PTX ISA ----

float bf16Of(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

TEST(PtxMatrices, MultiplyBf16AsTheIsaLaysThemOut) {
    std::mt19937 generator(1);
    std::array<std::array<std::uint16_t, 16>, 16> a{};
    std::array<std::array<std::uint16_t, 8>, 16> b{};
    const auto random = [&] {
        const float value = static_cast<float>(static_cast<int>(generator() % 17) - 8) / 4.0F;
        return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
    };
    for (auto& row : a)
        for (std::uint16_t& number : row)
            number = random();
    for (auto& row : b)
        for (std::uint16_t& number : row)
            number = random();
    std::array<PtxWords, 4> left;
    std::array<PtxWords, 2> right;
    std::array<PtxWords, 4> before;
    for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
        const std::size_t group = lane >> 2U;
        const std::size_t member = lane % 4;
        // a0 … a7: row = group for i of 0, 1, 4, 5, else group + 8; column = 2 · member + (i & 1), and 8 more
        // from 4 on.
        for (std::size_t i = 0; i < 8; i += 2) {
            const std::size_t row = i % 4 < 2 ? group : group + 8;
            const std::size_t column = member * 2 + (i >= 4 ? 8 : 0);
            left.at(i / 2).at(lane) =
                a.at(row).at(column) | static_cast<std::uint32_t>(a.at(row).at(column + 1)) << 16U;
        }
        // b0 … b3: row = 2 · member + (i & 1), and 8 more from 2 on; column = group.
        for (std::size_t i = 0; i < 4; i += 2) {
            const std::size_t row = member * 2 + (i >= 2 ? 8 : 0);
            right.at(i / 2).at(lane) =
                b.at(row).at(group) | static_cast<std::uint32_t>(b.at(row + 1).at(group)) << 16U;
        }
        for (std::size_t i = 0; i < 4; ++i)
            before.at(i).at(lane) = std::bit_cast<std::uint32_t>(1.5F);
    }
    const std::array<PtxWords, 4> after = testing::multiplyBf16(left, right, before);
    for (std::size_t lane = 0; lane < ptxLanes; ++lane)
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t row = (lane >> 2U) + (i >= 2 ? 8 : 0);
            const std::size_t column = lane % 4 * 2 + (i & 1U);
            float sum = 1.5F;
            for (std::size_t k = 0; k < 16; ++k)
                sum += bf16Of(a.at(row).at(k)) * bf16Of(b.at(k).at(column));
            EXPECT_EQ(std::bit_cast<float>(after.at(i).at(lane)), sum) << row << " " << column;
        }
}

TEST(PtxMatrices, MultiplyInt8AsTheIsaLaysThemOut) {
    std::mt19937 generator(2);
    std::array<std::array<std::int8_t, 32>, 16> a{};
    std::array<std::array<std::int8_t, 8>, 32> b{};
    for (auto& row : a)
        for (std::int8_t& number : row)
            number = static_cast<std::int8_t>(generator() % 255 - 127);
    for (auto& row : b)
        for (std::int8_t& number : row)
            number = static_cast<std::int8_t>(generator() % 255 - 127);
    std::array<PtxWords, 4> left{};
    std::array<PtxWords, 2> right{};
    std::array<PtxWords, 4> before{};
    const auto put = [](std::uint32_t& word, std::size_t i, std::int8_t number) {
        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(number)) << (8 * (i % 4));
    };
    for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
        const std::size_t group = lane >> 2U;
        const std::size_t member = lane % 4;
        // a0 … a15: row = group for i < 4 and 8 <= i < 12, else group + 8; column = 4 · member + (i & 3), 16
        // more from 8 on.
        for (std::size_t i = 0; i < 16; ++i)
            put(left.at(i / 4).at(lane), i,
                a.at(i < 4 || (i >= 8 && i < 12) ? group : group + 8)
                    .at(member * 4 + i % 4 + (i >= 8 ? 16 : 0)));
        // b0 … b7: row = 4 · member + (i & 3), 16 more from 4 on; column = group.
        for (std::size_t i = 0; i < 8; ++i)
            put(right.at(i / 4).at(lane), i, b.at(member * 4 + i % 4 + (i >= 4 ? 16 : 0)).at(group));
        for (PtxWords& words : before)
            words.at(lane) = static_cast<std::uint32_t>(-7);
    }
    const std::array<PtxWords, 4> after = testing::multiplyInt8(left, right, before);
    for (std::size_t lane = 0; lane < ptxLanes; ++lane)
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t row = (lane >> 2U) + (i >= 2 ? 8 : 0);
            const std::size_t column = lane % 4 * 2 + (i & 1U);
            int sum = -7;
            for (std::size_t k = 0; k < 32; ++k)
                sum += a.at(row).at(k) * b.at(k).at(column);
            EXPECT_EQ(static_cast<int>(after.at(i).at(lane)), sum);
        }
}

TEST(PtxMatrices, LdmatrixGivesRowsAndTransposedColumns) {
    std::array<testing::PtxMatrixRow, 8> rows;
    std::array<std::array<std::uint16_t, 8>, 8> elements{};
    for (std::uint16_t row = 0; row < 8; ++row)
        for (std::uint16_t column = 0; column < 8; ++column)
            elements.at(row).at(column) = static_cast<std::uint16_t>(16 * row + column);
    std::memcpy(rows.data(), elements.data(), sizeof(elements));
    const PtxWords plain = testing::distributeMatrix(rows, false);
    const PtxWords transposed = testing::distributeMatrix(rows, true);
    EXPECT_EQ(plain.at(13), 0x00330032U);       // row 3, columns 2 and 3
    EXPECT_EQ(transposed.at(13), 0x00330023U);  // column 3, rows 2 and 3
}

}  // namespace
}  // namespace meshreel
