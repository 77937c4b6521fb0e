// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/project/numbers.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

template <typename Number>
std::string hintOf(const std::variant<Number, Problem>& parsed) {
    const auto* problem = std::get_if<Problem>(&parsed);
    return problem == nullptr ? std::string("it is a number") : problem->hint().text();
}

TEST(Decimal, ADecimalCommaIsReadAsAPoint) {
    EXPECT_EQ(hintOf(parseReal("3,5")), "Write 3.5");
    EXPECT_EQ(hintOf(parseReal("-0,25")), "Write -0.25");
    EXPECT_EQ(hintOf(parseReal("0,500")), "Write 0.500");
    EXPECT_EQ(hintOf(parseReal("1234,567")), "Write 1234.567");
    EXPECT_EQ(hintOf(parseReal("1,5e-3")), "Write 1.5e-3");
    EXPECT_EQ(hintOf(parseReal("1.234,5")), "Write 1234.5");
    EXPECT_EQ(hintOf(parseReal("1'234,5")), "Write 1234.5");
    EXPECT_EQ(std::get<Problem>(parseReal("3,5")).message.text(), "\"3,5\" has a decimal comma");
}

TEST(Decimal, GroupsOfThreeAreDigitSeparators) {
    EXPECT_EQ(hintOf(parseReal("1,500")), "Write 1500");
    EXPECT_EQ(hintOf(parseReal("1,500,000")), "Write 1500000");
    EXPECT_EQ(hintOf(parseReal("1.500.000")), "Write 1500000");
    EXPECT_EQ(hintOf(parseReal("1,234.5")), "Write 1234.5");
    EXPECT_EQ(hintOf(parseReal("1_000.5")), "Write 1000.5");
    EXPECT_EQ(hintOf(parseInteger("75,600")), "Write 75600");
    EXPECT_EQ(hintOf(parseInteger("1_000")), "Write 1000");
    EXPECT_EQ(std::get<Problem>(parseReal("1,234.5")).message.text(), "\"1,234.5\" has digit separators");
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
    EXPECT_TRUE(std::holds_alternative<Problem>(parseUnsigned("18446744073709551616")));
    EXPECT_TRUE(std::holds_alternative<Problem>(parseUnsigned("-7")));
}

using ::testing::HasSubstr;

constexpr std::uint64_t largest = UINT64_MAX;

std::string problemOf(const std::string& lines) {
    const LoadedProject loaded = readProject("version: 1\nprompt: a ball\n" + lines, "p.yaml");
    return loaded.problems.empty() ? std::string() : loaded.problems.front().text();
}

TEST(Seed, ProjectsHoldSeedsOf64Bits) {
    const Project project =
        parseProject("version: 1\nprompt: a ball\nseed: 18446744073709551615\n", "p.yaml").project;
    EXPECT_EQ(project.seed, largest);
    EXPECT_THAT(resolvedYaml(project), HasSubstr("\nseed: 18446744073709551615\n"));
    EXPECT_EQ(parseProject(resolvedYaml(project), "again").project, project);
    Project changed;
    applyOverride(changed, "seed=9223372036854775808");
    EXPECT_EQ(changed.seed, 9223372036854775808U);
}

TEST(Seed, OtherNumbersAreRefusedWithTheLimits) {
    for (const char* seed : {"18446744073709551616", "99999999999999999999999", "-2"})
        EXPECT_THAT(problemOf(std::string("seed: ") + seed + "\n"),
                    HasSubstr("Write 0 to 18446744073709551615, or -1 for a random seed"));
    EXPECT_THAT(problemOf("batch_seeds: 1, 99999999999999999999999\n"),
                HasSubstr("batch_seeds: 99999999999999999999999 has too many digits"));
}

TEST(Seed, AListTakesTheSameSeeds) {
    Project project;
    project.batchSeeds = "3, 18446744073709551615, 1e3, -1";
    std::vector<Seed> seeds;
    for (const BatchItem& item : batchItems(project))
        seeds.push_back(item.seed);
    EXPECT_EQ(seeds, (std::vector<Seed>{3, largest, 1000, Seed()}));
    EXPECT_TRUE(batchProblems(project).empty());
}

TEST(Seed, MinusOneIsLegalAndStaysInTheFile) {
    const Project project = parseProject("version: 1\nprompt: a ball\nseed: -1\n", "p.yaml").project;
    EXPECT_EQ(project.seed, Seed());
    EXPECT_THAT(saveProjectText(project), HasSubstr("\nseed: -1\n"));
}

TEST(Seed, OpenSeedsAreDrawnAndOthersKept) {
    Project project;
    project.prompt = "a ball";
    project.seed = 5;
    project.batchSeeds = "3,4";
    EXPECT_EQ(withDrawnSeeds(project), project);

    project.seed = Seed();
    project.batchSeeds = "3, -1, -1";
    std::set<Seed> drawn;
    const Project made = withDrawnSeeds(project);
    drawn.insert(made.seed);
    const std::vector<BatchItem> items = batchItems(made);
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(items[0].seed, 3U);
    drawn.insert(items[1].seed);
    drawn.insert(items[2].seed);
    drawn.insert(withDrawnSeeds(project).seed);
    EXPECT_EQ(drawn.size(), 4U);
    for (const Seed& seed : drawn) {
        ASSERT_TRUE(seed);
        EXPECT_LT(*seed, std::uint64_t{1} << 53U);
    }
    EXPECT_EQ(parseProject(resolvedYaml(made), "again").project.batchSeeds, made.batchSeeds);
}

}  // namespace

}  // namespace meshreel
