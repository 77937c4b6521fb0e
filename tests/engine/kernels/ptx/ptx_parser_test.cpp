// SPDX-License-Identifier: GPL-3.0-or-later
// What the interpreter's parser refuses, as a driver would, each with the line and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "ptx_texts.h"
#include "tests/support/printed_name.h"
#include "tests/support/ptx/ptx_parser.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view legal = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .align 8 .b8 constants[16])
.reqntid 32, 1, 1
{
    .reg .u64 %from, %to;
    .reg .u32 %lane, %word, %shared;
    .reg .f32 %number<4>;
    .reg .pred %is;
    .shared .align 16 .b8 tile[1024];
    ld.param.u64 %from, [constants];
    ld.param.u64 %to, [constants+8];
    mov.u32 %lane, %tid.x;
    mov.u32 %shared, tile;
    setp.lt.u32 %is, %lane, 8;
    mad.wide.u32 %from, %lane, 16, %from;
    cp.async.cg.shared.global [%shared+16], [%from], 16;
    cp.async.wait_all;
    ld.shared.v4.f32 {%number0, %number1, %number2, %number3}, [%shared+16];
    add.rn.f32 %number0, %number0, 0f3F800000;
    @%is bra end;
    st.global.v4.f32 [%to], {%number0, %number1, %number2, %number3};
end:
    ret;
}
)";

struct Refusal {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    std::string_view complaint;
};

void PrintTo(const Refusal& refusal, std::ostream* stream) {
    *stream << refusal.name;
}

class PtxParserRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(PtxParserRefuses, InThatLine) {
    const std::string text = mutated(std::string(legal), GetParam().from, GetParam().to);
    const std::string complaint = complaintOf([&] { testing::parsePtx(text, "copy.ptx"); });
    EXPECT_THAT(complaint, HasSubstr(std::string(GetParam().complaint)));
    EXPECT_THAT(complaint, StartsWith("copy.ptx:"));
}

INSTANTIATE_TEST_SUITE_P(
    Text, PtxParserRefuses,
    ::testing::Values(
        Refusal{"UnknownVersion", "7.0", "9.9", "1: PTX has no version"},
        Refusal{"UnknownTarget", "sm_80", "sm_81", "no card has the target sm_81"},
        Refusal{"TargetNewerThanVersion", "sm_80", "sm_90a", "the target sm_90a needs .version 8.0"},
        Refusal{"ThirtyTwoBitAddresses", "size 64", "size 32", "drivers of today take .address_size 64"},
        Refusal{"InstructionNewerThanVersion", ".version 7.0\n.target sm_80", ".version 6.3\n.target sm_75",
                "cp.async.cg.shared.global needs .version 7.0"},
        Refusal{"InstructionNewerThanTarget", "sm_80", "sm_75",
                "cp.async.cg.shared.global needs .target sm_80, and the text is for sm_75"},
        Refusal{"LaterInstruction", "cp.async.wait_all;", "stmatrix.sync.aligned.m8n8.x4.shared.b16;",
                "needs .version 7.8"},
        Refusal{"UnknownInstruction", "add.rn.f32", "add.rx.f32", "does not know add.rx.f32"},
        Refusal{"FloatIntoInteger", "mov.u32 %lane", "mov.u32 %number0",
                "mov.u32 takes a register of .u32, and %number0 is .f32"},
        Refusal{"TypeOfRegister", "setp.lt.u32 %is, %lane", "setp.lt.u32 %is, %number0",
                "setp.lt.u32 takes a register of .u32, and %number0 is .f32"},
        Refusal{"WidthOfRegister", "mad.wide.u32 %from, %lane", "mad.wide.u32 %from, %to",
                "takes a register of .u32, and %to is .u64"},
        Refusal{"GuardThatIsNoPredicate", "@%is", "@%lane", "a guard takes a register of .pred"},
        Refusal{"SharedByWideAddress", "[%shared+16], [%from]", "[%to], [%from]",
                "the address of cp.async.cg.shared.global takes a register of .u32"},
        Refusal{"GlobalByNarrowAddress", "st.global.v4.f32 [%to]", "st.global.v4.f32 [%shared]",
                "the address of st.global.v4.f32 takes a register of .u64"},
        Refusal{"ParameterByLoadOfGlobal",
                "ld.shared.v4.f32 {%number0, %number1, %number2, %number3}, [%shared+16]",
                "ld.shared.v4.f32 {%number0, %number1, %number2, %number3}, [constants]",
                "does not reach the parameter constants"},
        Refusal{"WidthOfVector", "{%number0, %number1, %number2, %number3}", "{%number0, %number1}",
                "takes 4 registers in braces, and 2 stand there"},
        Refusal{"RegisterWrittenTwice", "{%number0, %number1, %number2, %number3}",
                "{%number0, %number1, %number1, %number3}", "writes a register twice"},
        Refusal{"UndeclaredRegister", "@%is", "@%isNot", "%isNot is declared nowhere"},
        Refusal{"RegisterDeclaredTwice", "%lane, %word", "%lane, %lane", "%lane is declared twice"},
        Refusal{"CountedNameWithADigit", "%number<4>", "%number2<4>", "drivers do not count up %number2"},
        Refusal{"MissingLabel", "bra end", "bra start", "no label start"},
        Refusal{"NumberWhereARegisterMustStand", "setp.lt.u32 %is, %lane, 8", "setp.lt.u32 %is, 3, 8",
                "takes a register where '3' stands"},
        Refusal{"IntegerWhereAFloatMustStand", "0f3F800000", "1", "takes bits of a float such as 0f3F800000"},
        Refusal{"NumberTooLarge", "%lane, 8", "%lane, 4294967296", "does not fit the 4 bytes"},
        Refusal{"SizeOfCopy", "[%from], 16", "[%from], 8",
                "cp.async.cg copies 16 bytes, and the text says 8"},
        Refusal{"ParameterBehindItsEnd", "[constants+8]", "[constants+16]",
                "behind its end or across its alignment"},
        Refusal{"ParameterAcrossItsAlignment", "[constants+8]", "[constants+4]",
                "behind its end or across its alignment"},
        Refusal{"SharedMemoryBeyond48KiB", "tile[1024]", "tile[49153]",
                "static shared memory takes 49153 bytes, and a block has 49152"},
        Refusal{"BlockOfHalfAWarp", ".reqntid 32", ".reqntid 48", "take whole warps"},
        Refusal{"MissingReturn", "    ret;\n", "    bra end;\n", "copy runs off its end"},
        Refusal{"UnwrittenRegister", "mov.u32 %lane, %tid.x", "mov.u32 %lane, %word",
                "%word may be read before it is written"},
        Refusal{"SpecialRegisterInArithmetic", "setp.lt.u32 %is, %lane, 8", "setp.lt.u32 %is, %lane, %tid.x",
                "only mov.u32 reads %tid.x"},
        Refusal{"MissingSemicolon", "ret;", "ret", "stands where ret ends with ';'"}),
    testing::PrintedName());

TEST(PtxParser, TakesTheTextThatRefusalsAreMadeOf) {
    const testing::PtxProgram program = testing::parsePtx(legal);
    const testing::PtxEntry& entry = program.entry("copy");
    EXPECT_EQ(entry.threads, 32U);
    EXPECT_EQ(entry.sharedBytes, 1024U);
    EXPECT_EQ(entry.parameterBytes, 16U);
    EXPECT_EQ(entry.instructions.size(), 13U);
}

TEST(PtxParser, CountsRegistersThatAreNeededAtOneTime) {
    // At the addition: the address (two words), and four numbers.
    EXPECT_EQ(testing::parsePtx(legal).entry("copy").liveRegisters, 6);
}

TEST(PtxParser, RefusesMoreLiveRegistersThanAThreadHas) {
    std::string text =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry many(.param .u64 p)\n"
        ".reqntid 32\n{\n.reg .f32 %a<300>;\n.reg .f32 %s;\n";
    for (int index = 0; index < 300; ++index)
        text += "mov.f32 %a" + std::to_string(index) + ", 0f00000000;\n";
    text += "mov.f32 %s, 0f00000000;\n";
    for (int index = 0; index < 300; ++index)
        text += "add.rn.f32 %s, %s, %a" + std::to_string(index) + ";\n";
    text += "ret;\n}\n";
    EXPECT_THAT(complaintOf([&] { testing::parsePtx(text); }),
                HasSubstr("registers hold something here, and a thread of 32 has 255"));
}

}  // namespace
}  // namespace meshreel
