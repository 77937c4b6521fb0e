// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/project/numbers.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

/// What the fix of a text that is no number writes.
template <typename Number>
std::string offerFor(const std::variant<Number, Problem>& parsed) {
    const auto* problem = std::get_if<Problem>(&parsed);
    if (problem == nullptr || problem->fixes.empty() || problem->fixes.front().changes.empty())
        return "nothing";
    return problem->fixes.front().changes.front().value;
}

TEST(Decimal, ADecimalCommaIsReadAsAPoint) {
    EXPECT_EQ(offerFor(parseReal("3,5")), "3.5");
    EXPECT_EQ(offerFor(parseReal("-0,25")), "-0.25");
    EXPECT_EQ(offerFor(parseReal("0,500")), "0.500");
    EXPECT_EQ(offerFor(parseReal("1234,567")), "1234.567");
    EXPECT_EQ(offerFor(parseReal("1,5e-3")), "1.5e-3");
    EXPECT_EQ(offerFor(parseReal("1.234,5")), "1234.5");
    EXPECT_EQ(offerFor(parseReal("1'234,5")), "1234.5");
    EXPECT_THAT(std::get<Problem>(parseReal("3,5")), testing::Fault("number-has-separators"));
}

TEST(Decimal, GroupsOfThreeAreDigitSeparators) {
    EXPECT_EQ(offerFor(parseReal("1,500")), "1500");
    EXPECT_EQ(offerFor(parseReal("1,500,000")), "1500000");
    EXPECT_EQ(offerFor(parseReal("1.500.000")), "1500000");
    EXPECT_EQ(offerFor(parseReal("1,234.5")), "1234.5");
    EXPECT_EQ(offerFor(parseReal("1_000.5")), "1000.5");
    EXPECT_EQ(offerFor(parseInteger("75,600")), "75600");
    EXPECT_EQ(offerFor(parseInteger("1_000")), "1000");
    EXPECT_THAT(std::get<Problem>(parseReal("1,234.5")), testing::Fault("number-has-separators"));
    EXPECT_NE(testing::patternOf(std::get<Problem>(parseReal("1,234.5")).message),
              testing::patternOf(std::get<Problem>(parseReal("3,5")).message));
}

TEST(Decimal, MarksWithoutSenseAreNoNumber) {
    for (const char* text : {"1,2,3", "1,50,000", "1.2.3", "1,2.3,4", "12,34.5", ",", "3,5,"}) {
        EXPECT_THAT(std::get<Problem>(parseReal(text)), testing::Fault("not-a-number")) << text;
        EXPECT_THAT(std::get<Problem>(parseInteger(text)), testing::Fault("not-a-number")) << text;
    }
}

TEST(Decimal, AWholeNumberIsNotMadeOfAFraction) {
    EXPECT_THAT(std::get<Problem>(parseInteger("3,5")),
                AllOf(testing::Fault("number-has-separators"), testing::Offers("3", "4")));
    EXPECT_EQ(offerFor(parseInteger("3,0")), "3");
    EXPECT_THAT(std::get<Problem>(parseInteger("3.5")),
                AllOf(testing::Fault("number-not-whole"), testing::Offers("3", "4")));
}

TEST(Decimal, WholeNumbersHave63BitsAndUnsignedOnes64) {
    EXPECT_EQ(std::get<std::int64_t>(parseInteger("9223372036854775807")), INT64_MAX);
    EXPECT_EQ(std::get<std::int64_t>(parseInteger("-0")), 0);
    EXPECT_THAT(std::get<Problem>(parseInteger("9223372036854775808")),
                testing::Fault("number-has-too-many-digits"));
    EXPECT_EQ(std::get<std::uint64_t>(parseUnsigned("18446744073709551615")), UINT64_MAX);
    EXPECT_EQ(std::get<std::uint64_t>(parseUnsigned("+7")), 7U);
    EXPECT_EQ(std::get<std::uint64_t>(parseUnsigned("-0")), 0U);
    EXPECT_TRUE(std::holds_alternative<Problem>(parseUnsigned("18446744073709551616")));
    EXPECT_TRUE(std::holds_alternative<Problem>(parseUnsigned("-7")));
}

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t largest = UINT64_MAX;

Problem problemOf(const std::string& lines) {
    const LoadedProject loaded = readProject("version: 1\nprompt: a ball\n" + lines, "p.yaml");
    return loaded.problems.empty() ? Problem() : loaded.problems.front();
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
        EXPECT_THAT(problemOf(std::string("seed: ") + seed + "\n"), testing::Names("18446744073709551615"));
    EXPECT_THAT(
        problemOf("batch_seeds: 1, 99999999999999999999999\n"),
        AllOf(testing::Fault("number-has-too-many-digits"), testing::Names("99999999999999999999999")));
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
