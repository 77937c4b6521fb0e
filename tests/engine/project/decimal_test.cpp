// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace meshreel {
namespace {

template <typename Number>
std::string hintOf(const std::variant<Number, NumberProblem>& parsed) {
    const auto* problem = std::get_if<NumberProblem>(&parsed);
    return problem == nullptr ? std::string("it is a number") : problem->hint.text();
}

TEST(Decimal, ADecimalCommaIsReadAsAPoint) {
    EXPECT_EQ(hintOf(parseReal("3,5")), "Write 3.5");
    EXPECT_EQ(hintOf(parseReal("-0,25")), "Write -0.25");
    EXPECT_EQ(hintOf(parseReal("0,500")), "Write 0.500");
    EXPECT_EQ(hintOf(parseReal("1234,567")), "Write 1234.567");
    EXPECT_EQ(hintOf(parseReal("1,5e-3")), "Write 1.5e-3");
    EXPECT_EQ(hintOf(parseReal("1.234,5")), "Write 1234.5");
    EXPECT_EQ(hintOf(parseReal("1'234,5")), "Write 1234.5");
    EXPECT_EQ(std::get<NumberProblem>(parseReal("3,5")).message.text(), "\"3,5\" has a decimal comma");
}

TEST(Decimal, GroupsOfThreeAreDigitSeparators) {
    EXPECT_EQ(hintOf(parseReal("1,500")), "Write 1500");
    EXPECT_EQ(hintOf(parseReal("1,500,000")), "Write 1500000");
    EXPECT_EQ(hintOf(parseReal("1.500.000")), "Write 1500000");
    EXPECT_EQ(hintOf(parseReal("1,234.5")), "Write 1234.5");
    EXPECT_EQ(hintOf(parseReal("1_000.5")), "Write 1000.5");
    EXPECT_EQ(hintOf(parseInteger("75,600")), "Write 75600");
    EXPECT_EQ(hintOf(parseInteger("1_000")), "Write 1000");
    EXPECT_EQ(std::get<NumberProblem>(parseReal("1,234.5")).message.text(),
              "\"1,234.5\" has digit separators");
}

TEST(Decimal, MarksWithoutSenseAreNoNumber) {
    for (const char* text : {"1,2,3", "1,50,000", "1.2.3", "1,2.3,4", "12,34.5", ",", "3,5,"}) {
        EXPECT_EQ(hintOf(parseReal(text)), "Write a decimal number") << text;
        EXPECT_EQ(hintOf(parseInteger(text)), "Write a decimal whole number") << text;
    }
}

TEST(Decimal, AWholeNumberIsNotMadeOfAFraction) {
    EXPECT_EQ(hintOf(parseInteger("3,5")), "The nearest are 3 and 4");
    EXPECT_EQ(hintOf(parseInteger("3,0")), "Write 3");
    EXPECT_EQ(hintOf(parseInteger("3.5")), "The nearest are 3 and 4");
}

TEST(Decimal, WholeNumbersHave63BitsAndUnsignedOnes64) {
    EXPECT_EQ(std::get<std::int64_t>(parseInteger("9223372036854775807")), INT64_MAX);
    EXPECT_EQ(std::get<std::int64_t>(parseInteger("-0")), 0);
    EXPECT_EQ(hintOf(parseInteger("9223372036854775808")), "Whole numbers have at most 63 bits");
    EXPECT_EQ(std::get<std::uint64_t>(parseUnsigned("18446744073709551615")), UINT64_MAX);
    EXPECT_EQ(std::get<std::uint64_t>(parseUnsigned("+7")), 7U);
    EXPECT_EQ(std::get<std::uint64_t>(parseUnsigned("-0")), 0U);
    EXPECT_TRUE(std::holds_alternative<NumberProblem>(parseUnsigned("18446744073709551616")));
    EXPECT_TRUE(std::holds_alternative<NumberProblem>(parseUnsigned("-7")));
}

}  // namespace
}  // namespace meshreel
