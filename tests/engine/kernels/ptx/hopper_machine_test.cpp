// SPDX-License-Identifier: GPL-3.0-or-later
// What the interpreter computes of instructions that sm_90 and sm_90a have: mbarriers, bulk copies, wgmma,
// registers that warps share out; and what it complains about because no card promises a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
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
#include "tests/support/ptx/ptx_parser.h"
#include "tests/support/ptx/ptx_products.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::PtxDescribedMatrix;

/// A kernel of two warpgroups with 8 KiB of shared memory, from a multiple of 1,024 bytes on, and two
/// tensors.
struct GroupRun {
    std::vector<std::uint32_t> from = std::vector<std::uint32_t>(2048);
    std::vector<std::uint32_t> to = std::vector<std::uint32_t>(2048);
    int threads = 256;

    /// Runs a body whose registers %from, %to, %mine (4 · thread bytes from %to on), %thread, %warp, %shared,
    /// and the predicates %first (of thread 0), %one (of the first warpgroup) and %yes are set. %bar is the
    /// address of 64 bytes behind the 8 KiB.
    testing::PtxWork run(std::string_view body) {
        const std::string text =
            ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 tile[];\n"
            ".visible .entry group(.param .u64 a, .param .u64 b)\n.reqntid " +
            std::to_string(threads) +
            "\n.minnctapersm 1\n{\n"
            ".reg .u64 %from, %to, %mine, %left, %right;\n.reg .u32 %thread, %warp, %shared, %bar, %i, %j;\n"
            ".reg .f32 %s<4>;\n.reg .s32 %n<4>;\n.reg .b32 %w<4>;\n"
            ".reg .pred %p, %first, %one, %yes;\n"
            "ld.param.u64 %from, [a];\nld.param.u64 %to, [b];\nmov.u32 %thread, %tid.x;\n"
            "shr.u32 %warp, %thread, 5;\nmov.u32 %shared, tile;\nadd.u32 %shared, %shared, 1023;\n"
            "and.b32 %shared, %shared, 0xfffffc00;\nadd.u32 %bar, %shared, 8192;\n"
            "mad.wide.u32 %mine, %thread, 4, %to;\nsetp.eq.u32 %first, %thread, 0;\n"
            "setp.lt.u32 %one, %thread, 128;\nsetp.eq.u32 %yes, %thread, %thread;\n" +
            std::string(body) + "ret;\n}\n";
        const testing::PtxProgram program = testing::parsePtx(text, "group.ptx");
        testing::PtxMemory memory;
        const std::array addresses{memory.add("from", std::as_writable_bytes(std::span(from))),
                                   memory.add("to", std::as_writable_bytes(std::span(to)))};
        return testing::runPtxGrid(program, program.entry("group"), memory, {},
                                   std::as_bytes(std::span(addresses)), 8192 + 64 + 1024);
    }

    std::string complaint(std::string_view body) {
        return complaintOf([&] { run(body); });
    }
};

// ---- mbarriers and bulk copies ----

constexpr std::string_view bringing =
    "@%first mbarrier.init.shared.b64 [%bar], 1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    "mov.u32 %i, 1024;\n"
    "@%first mbarrier.arrive.expect_tx.shared.b64 _, [%bar], %i;\n"
    "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%shared], [%from], %i, "
    "[%bar];\n"
    "again:\nmbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;\n@!%p bra again;\n"
    "mad.lo.u32 %j, %thread, 4, %shared;\nld.shared.u32 %j, [%j];\nst.global.b32 [%mine], %j;\n";

TEST(PtxBarrier, BringsWhatABulkCopyCopies) {
    GroupRun run;
    for (std::size_t index = 0; index < run.from.size(); ++index)
        run.from.at(index) = static_cast<std::uint32_t>(3 * index);
    run.run(bringing);
    EXPECT_EQ(run.to.at(0), 0U);
    EXPECT_EQ(run.to.at(255), 3U * 255U);
}

TEST(PtxBarrier, MistakesAreFound) {
    const std::string text(bringing);
    const auto complaint = [](const std::string& body) { return GroupRun().complaint(body); };
    EXPECT_THAT(
        complaint(mutated(text, "mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;\n@!%p bra again;\n", "")),
        HasSubstr("is read while a cp.async.bulk into it is on its way; wait for its mbarrier first"));
    EXPECT_THAT(complaint(mutated(text, "[%bar], 0;", "[%bar], 1;")),
                HasSubstr("is read while a cp.async.bulk into it is on its way"))
        << "the phase before the first one is over at once";
    EXPECT_THAT(
        complaint(mutated(mutated(text, "mov.u32 %i, 1024;\n", "mov.u32 %i, 1024;\nmov.u32 %j, 1040;\n"),
                          "_, [%bar], %i", "_, [%bar], %j")),
        HasSubstr("waits for a phase of the mbarrier at 9216 that nobody ends"));
    EXPECT_THAT(complaint(mutated(text, "[%bar], 1;", "[%bar], 2;")), HasSubstr("the block hangs"));
    EXPECT_THAT(complaint(mutated(text, "[%bar], 1;", "[%bar+4], 1;")),
                HasSubstr("is no multiple of 8 bytes"));
    EXPECT_THAT(complaint(mutated(text, "@%first mbarrier.init.shared.b64 [%bar], 1;\n", "")),
                HasSubstr("no mbarrier was set up at the shared address 9216"));
    EXPECT_THAT(complaint(mutated(text, "bar.sync 0;\n", "")),
                HasSubstr("which warp 0 set up, without a bar.sync between"));
    EXPECT_THAT(complaint(mutated(text, "fence.proxy.async.shared::cta;\n", "")),
                HasSubstr("which warp 0 set up, without a fence.proxy.async between"));
    EXPECT_THAT(complaint(mutated(text, "%i, 1024;", "%i, 1032;")), HasSubstr("is no multiple of 16"));
    EXPECT_THAT(complaint(mutated(text, "ld.shared.u32 %j, [%j]", "ld.shared.u32 %j, [%bar]")),
                HasSubstr("an mbarrier lies there"));
    EXPECT_THAT(complaint(mutated(text,
                                  "again:\nmbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;\n"
                                  "@!%p bra again;\n"
                                  "mad.lo.u32 %j, %thread, 4, %shared;\nld.shared.u32 %j, [%j];\n",
                                  "mov.u32 %j, 0;\n")),
                HasSubstr("the block ends while a cp.async.bulk is on its way"));
    EXPECT_THAT(complaint(mutated(text, "mov.u32 %i, 1024;\n",
                                  "mov.u32 %i, 1024;\n@%first st.shared.u32 [%shared], %i;\n")),
                HasSubstr("the copy engine writes shared byte 1024, which warp 0 wrote, without a "
                          "fence.proxy.async between"));
}

TEST(PtxBarrier, TellsWhoWaitsWhatOthersWroteBeforeTheyArrived) {
    // The first warpgroup writes, and the second one reads.
    const std::string text =
        "@%first mbarrier.init.shared.b64 [%bar], 128;\nbar.sync 0;\nmov.u32 %i, 128;\n"
        "mad.lo.u32 %j, %thread, 4, %shared;\n@!%one bra reads;\n"
        "st.shared.u32 [%j], %thread;\nmbarrier.arrive.shared.b64 _, [%bar];\nbra end;\nreads:\n"
        "again:\nmbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;\n@!%p bra again;\n"
        "sub.u32 %j, %j, 512;\nld.shared.u32 %j, [%j];\nst.global.b32 [%mine], %j;\nend:\n";
    GroupRun run;
    run.run(text);
    EXPECT_EQ(run.to.at(128 + 77), 77U);
    EXPECT_THAT(GroupRun().complaint(mutated(text,
                                             "st.shared.u32 [%j], %thread;\nmbarrier.arrive.shared.b64 _, "
                                             "[%bar];\n",
                                             "mbarrier.arrive.shared.b64 _, [%bar];\nst.shared.u32 [%j], "
                                             "%thread;\n")),
                HasSubstr("wrote, without a bar.sync between or an mbarrier"))
        << "what is written behind the arrival is not told";
}

// ---- Products of a warpgroup ----

/// The descriptor of a tile whose rows have 128 bytes, 1,024 bytes of it from the address on in eight rows.
constexpr std::string_view describe =
    "shr.u32 %i, %shared, 4;\nmul.wide.u32 %left, %i, 1;\nadd.u64 %left, %left, 0x4000004000010000;\n"
    "mov.u64 %right, %left;\n";

/// Every thread of the first warpgroup fills its part of 8 KiB with small bf16 numbers, and makes them
/// visible.
constexpr std::string_view filling =
    "mov.u32 %i, 0;\n"
    "more:\nmad.lo.u32 %j, %i, 256, %thread;\nmad.wide.u32 %mine, %j, 4, %from;\n"
    "mad.lo.u32 %j, %j, 4, %shared;\nld.global.u32 %w0, [%mine];\nst.shared.u32 [%j], %w0;\n"
    "add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 8;\n@%p bra more;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n";

constexpr std::string_view multiplying =
    "wgmma.fence.sync.aligned;\nsetp.ne.u32 %p, %thread, %thread;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%s0, %s1, %s2, %s3}, %left, %right, %p, 1, 1, 0, "
    "0;\n"
    "add.u64 %left, %left, 2;\nadd.u64 %right, %right, 2;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%s0, %s1, %s2, %s3}, %left, %right, %yes, 1, 1, 0, "
    "0;\n"
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

constexpr std::string_view storing =
    "mad.wide.u32 %mine, %thread, 16, %to;\nst.global.v4.f32 [%mine], {%s0, %s1, %s2, %s3};\n";

std::string multiplication() {
    return std::string(filling) + std::string(describe) + std::string(multiplying) + std::string(storing);
}

GroupRun filledRun() {
    GroupRun run;
    std::mt19937 generator(3);
    const auto number = [&] {
        const float value = static_cast<float>(static_cast<int>(generator() % 17) - 8) / 4.0F;
        return std::bit_cast<std::uint32_t>(value) >> 16U;
    };
    for (std::uint32_t& word : run.from)
        word = number() | number() << 16U;
    return run;
}

/// The k-th number of a row of the 64×64 numbers that filling brings, as the swizzle of 128 bytes has it.
double numberOf(const GroupRun& run, std::size_t row, std::size_t k) {
    const std::size_t word = k / 8;
    const std::size_t byte = row * 128 + (word ^ (row % 8)) * 16 + k % 8 * 2;
    std::uint16_t bits = 0;
    std::memcpy(&bits, std::as_bytes(std::span(run.from)).data() + byte, sizeof(bits));
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

float sumOf(const GroupRun& run, std::size_t thread, std::size_t index) {
    return std::bit_cast<float>(run.to.at(thread * 4 + index));
}

TEST(PtxGroup, MultipliesRowsOfSwizzledTiles) {
    GroupRun run = filledRun();
    run.run(multiplication());
    for (std::size_t thread = 0; thread < 128; ++thread)
        for (std::size_t index = 0; index < 4; ++index) {
            // PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", matrix D.
            const std::size_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * (index / 2);
            const std::size_t column = thread % 4 * 2 + index % 2;
            double sum = 0;
            for (std::size_t k = 0; k < 32; ++k)
                sum += numberOf(run, row, k) * numberOf(run, column, k);
            EXPECT_EQ(static_cast<double>(sumOf(run, thread, index)), sum);
        }
}

TEST(PtxGroup, MultipliesColumnsOfATransposedTile) {
    GroupRun run = filledRun();
    // Rows along k, from the row 16 on for the second slice.
    std::string text = mutated(multiplication(), "%p, 1, 1, 0, 0", "%p, 1, 1, 0, 1");
    text = mutated(text, "%yes, 1, 1, 0, 0", "%yes, 1, 1, 0, 1");
    run.run(mutated(text, "add.u64 %right, %right, 2", "add.u64 %right, %right, 128"));
    for (const std::size_t thread : {0U, 5U, 77U, 127U}) {
        const std::size_t row = thread / 32 * 16 + thread % 32 / 4;
        double sum = 0;
        for (std::size_t k = 0; k < 32; ++k)
            sum += numberOf(run, row, k) * numberOf(run, k, thread % 4 * 2);
        EXPECT_EQ(static_cast<double>(sumOf(run, thread, 0)), sum);
    }
}

TEST(PtxGroup, MultipliesRegistersByATile) {
    GroupRun run = filledRun();
    // Register r of a lane: row lane / 4 + 8 · (r % 2), numbers 2 · (lane % 4) + 8 · (r / 2) and one more:
    // all 1.
    std::string text = std::string(filling) + std::string(describe);
    for (int index = 0; index < 4; ++index)
        text += "mov.b32 %w" + std::to_string(index) + ", 0x3f803f80;\n";
    text +=
        "wgmma.fence.sync.aligned;\nsetp.ne.u32 %p, %thread, %thread;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%s0, %s1, %s2, %s3}, {%w0, %w1, %w2, %w3}, "
        "%right, %p, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    run.run(text + std::string(storing));
    double sum = 0;
    for (std::size_t k = 0; k < 16; ++k)
        sum += numberOf(run, 2, k);
    EXPECT_EQ(static_cast<double>(sumOf(run, 1, 0)), sum);
    EXPECT_THAT(filledRun().complaint(mutated(text, "wgmma.wait_group", "mov.b32 %w2, 0;\nwgmma.wait_group")),
                HasSubstr("%w2 is a factor of products that are under way; wait for their group first"));
    EXPECT_THAT(filledRun().complaint(mutated(text, "wgmma.fence.sync.aligned;\n",
                                              "wgmma.fence.sync.aligned;\nmov.b32 %w1, 0;\n")),
                HasSubstr("%w1 was used since the last wgmma.fence"));
}

TEST(PtxGroup, MultipliesBytesExactly) {
    GroupRun run;
    std::mt19937 generator(5);
    for (std::uint32_t& word : run.from)
        word = static_cast<std::uint32_t>(generator());
    run.run(std::string(filling) + std::string(describe) +
            "wgmma.fence.sync.aligned;\nsetp.ne.u32 %p, %thread, %thread;\n"
            "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%n0, %n1, %n2, %n3}, %left, %right, %p;\n"
            "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
            "mov.b32 %s0, %n0;\nmov.b32 %s1, %n1;\nmov.b32 %s2, %n2;\nmov.b32 %s3, %n3;\n" +
            std::string(storing));
    const auto byteOf = [&](std::size_t row, std::size_t k) {
        const std::size_t at = row * 128 + ((k / 16) ^ (row % 8)) * 16 + k % 16;
        return static_cast<int>(static_cast<std::int8_t>(std::as_bytes(std::span(run.from))[at]));
    };
    for (const std::size_t thread : {0U, 6U, 99U}) {
        int sum = 0;
        for (std::size_t k = 0; k < 32; ++k)
            sum += byteOf(thread / 32 * 16 + thread % 32 / 4, k) * byteOf(thread % 4 * 2, k);
        EXPECT_EQ(static_cast<int>(run.to.at(thread * 4)), sum);
    }
}

TEST(PtxGroup, MistakesAreFound) {
    const std::string text = multiplication();
    const auto complaint = [](const std::string& body) { return filledRun().complaint(body); };
    EXPECT_EQ(complaint(text), "");
    EXPECT_THAT(complaint(mutated(text, "wgmma.wait_group.sync.aligned 0;\n", "")),
                HasSubstr("%s0 holds sums of products that are under way; wait for their group first"));
    EXPECT_THAT(complaint(mutated(text, "wgmma.commit_group.sync.aligned;\n", "")),
                HasSubstr("%s0 holds sums of products that are under way"))
        << "a wait is for groups that are closed";
    EXPECT_THAT(complaint(mutated(text, "wgmma.fence.sync.aligned;\n", "")),
                HasSubstr("%s0 was used since the last wgmma.fence; fence it first"));
    EXPECT_THAT(complaint(mutated(text, "%right, %p, 1", "%right, %yes, 1")),
                HasSubstr("it adds to %s0, which nothing was written into"));
    EXPECT_THAT(complaint(mutated(text, "fence.proxy.async.shared::cta;\n", "")),
                HasSubstr("wrote, without a fence.proxy.async between"));
    EXPECT_THAT(complaint(mutated(text, "bar.sync 0;\n", "")), HasSubstr("a product"));
    EXPECT_THAT(
        complaint(mutated(text, "wgmma.wait_group", "st.shared.u32 [%shared+64], %i;\nwgmma.wait_group")),
        HasSubstr("while products that read it are under way; wait for their group first"));
    EXPECT_THAT(complaint(mutated(text, "shr.u32 %i, %shared, 4;", "mov.u32 %i, %shared;")),
                HasSubstr("the shared address 16384 lies behind the block's"));
    EXPECT_THAT(complaint(mutated(text, "0x4000004000010000", "0x4001004000010000")),
                HasSubstr("has bits where none are"));
    EXPECT_THAT(complaint(mutated(text, "0x4000004000010000", "0x4000002000010000")),
                HasSubstr("has groups of rows 512 bytes apart, and a pattern of trades has 1024"));
    EXPECT_THAT(complaint(mutated(text, "add.u64 %left, %left, 2", "add.u64 %left, %left, 8")),
                HasSubstr("begins within a pattern of trades"));
    EXPECT_THAT(complaint(mutated(text, "wgmma.wait_group", "ret;\nwgmma.wait_group")),
                HasSubstr("returns while products of it are under way"));
    EXPECT_THAT(complaint(mutated(text, "wgmma.commit_group.sync.aligned;\n",
                                  "setp.eq.u32 %p, %warp, 2;\n@%p wgmma.commit_group.sync.aligned;\n"
                                  "@!%p wgmma.commit_group.sync.aligned;\n")),
                HasSubstr("of a warpgroup carry out different products"));
    EXPECT_THAT(complaint(mutated(text, "%p, 1, 1, 0, 0", "%p, 1, 1, 0, 2")),
                HasSubstr("is transposed or not, and the text says 2"));
    EXPECT_THAT(complaint(mutated(text, "m64n8k16", "m64n12k16")), HasSubstr("does not know"));
    EXPECT_THAT(complaint(mutated(text, "{%s0, %s1, %s2, %s3}, %left", "{%s0, %s1}, %left")),
                HasSubstr("takes 4 registers in braces, and 2 stand there"));
}

TEST(PtxGroup, DescriptorsSayWhereWordsLie) {
    constexpr std::uint64_t wide = 1ULL << 62U;
    constexpr std::uint64_t narrow = 2ULL << 62U;
    constexpr std::uint64_t begin = 4096 / 16;
    const auto strides = [](std::uint64_t leading, std::uint64_t stride) {
        return (leading / 16) << 16U | (stride / 16) << 32U;
    };
    const PtxDescribedMatrix rows(wide | strides(16, 1024) | begin, false);
    EXPECT_EQ(rows.wordOfRow(0, 1), 4096U + 16U);
    EXPECT_EQ(rows.wordOfRow(3, 1), 4096U + 3U * 128U + (1U ^ 3U) * 16U);
    EXPECT_EQ(rows.wordOfRow(9, 0), 4096U + 9U * 128U + 16U);
    const PtxDescribedMatrix later(wide | strides(16, 1024) | (begin + 2), false);
    EXPECT_EQ(later.wordOfRow(3, 1), 4096U + 3U * 128U + (3U ^ 3U) * 16U);
    const PtxDescribedMatrix narrower(narrow | strides(16, 512) | begin, false);
    EXPECT_EQ(narrower.wordOfRow(3, 1), 4096U + 3U * 64U + (1U ^ 1U) * 16U);
    EXPECT_EQ(narrower.wordOfRow(8, 1), 4096U + 512U + 16U);
    // Panels of 64 numbers: number 72 is in the second one.
    const PtxDescribedMatrix columns(wide | strides(16384, 1024) | begin, true);
    EXPECT_EQ(columns.wordOfColumn(72, 9), 4096U + 16384U + 1024U + 128U + (1U ^ 1U) * 16U);
    const PtxDescribedMatrix plain(strides(256, 128) | begin, false);
    EXPECT_EQ(plain.wordOfRow(9, 1), 4096U + 128U + 16U + 256U);
}

// ---- Registers that warpgroups share out ----

constexpr std::string_view sharing =
    "@!%one bra more;\nsetmaxnreg.dec.sync.aligned.u32 40;\nbra end;\n"
    "more:\nsetmaxnreg.inc.sync.aligned.u32 232;\nend:\nst.global.b32 [%mine], %thread;\n";

TEST(PtxRegisters, GoFromOneWarpgroupToOthers) {
    const auto run = [](std::string_view body) {
        GroupRun group;
        group.threads = 384;  // which begin with 168 each
        const std::string complaint = group.complaint(body);
        EXPECT_TRUE(!complaint.empty() || group.to.at(300) == 300);
        return complaint;
    };
    EXPECT_EQ(run(sharing), "");
    EXPECT_THAT(run(mutated(std::string(sharing), "u32 232", "u32 240")),
                HasSubstr("waits for registers that nobody gives"));
    EXPECT_THAT(run(mutated(std::string(sharing), "u32 232", "u32 160")),
                HasSubstr("a thread has 168 registers here, and the text says 160"));
}

}  // namespace
}  // namespace meshreel
