// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/project/batch.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace {

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
