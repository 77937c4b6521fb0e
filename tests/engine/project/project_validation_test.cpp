// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_validation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::optional<Problem> firstError(const Project& project) {
    for (const Problem& problem : validate(project))
        if (problem.severity == Severity::Error)
            return problem;
    return std::nullopt;
}

/// Its id and its key; empty for a project without an error.
std::string faultOf(const Project& project) {
    const std::optional<Problem> error = firstError(project);
    return error ? fmt::format("{} {}", error->id.name(), error->key) : std::string();
}

/// The ids at a key, whatever their severity.
std::vector<std::string> idsAt(const Project& project, std::string_view key) {
    std::vector<std::string> ids;
    for (const Problem& problem : validate(project))
        if (problem.key == key)
            ids.emplace_back(problem.id.name());
    return ids;
}

Project prompted() {
    Project project;
    project.prompt = "a cat";
    return project;
}

TEST(StepCacheValidation, EveryCacheIsSwitchedByItsKey) {
    for (const StepCacheRow& row : stepCaches()) {
        Project project = prompted();
        EXPECT_THAT(chosenStepCaches(project), IsEmpty());
        setFromText(project, *findProjectKey(row.key), "true");
        ASSERT_THAT(chosenStepCaches(project), ElementsAre(&row)) << row.key;
        EXPECT_EQ(faultOf(project), "") << row.key;
    }
}

TEST(StepCacheValidation, TwoAtOnceAreRefused) {
    for (const StepCacheRow& first : stepCaches())
        for (const StepCacheRow& second : stepCaches()) {
            if (&first == &second)
                continue;
            Project project = prompted();
            setFromText(project, *findProjectKey(first.key), "true");
            setFromText(project, *findProjectKey(second.key), "true");
            const std::optional<Problem> error = firstError(project);
            ASSERT_TRUE(error);
            EXPECT_THAT(*error, AllOf(testing::Fault("step-caches-exclusive"),
                                      testing::Names(std::string(first.key), std::string(second.key))));
        }
}

TEST(StepCacheValidation, GuidanceMustBeOn) {
    for (const StepCacheRow& row : stepCaches()) {
        Project project = prompted();
        setFromText(project, *findProjectKey(row.key), "true");
        project.guidanceScale = 1;
        if (row.needsGuidance)
            EXPECT_EQ(faultOf(project), "step-cache-needs-guidance " + std::string(row.key));
        else
            EXPECT_EQ(faultOf(project), "");
        // Of two experts each counts.
        project.guidanceScaleHigh = 4;
        EXPECT_EQ(faultOf(project), "") << row.key;
        EXPECT_THAT(guidanceProblems(project, row, true), SizeIs(row.needsGuidance ? 1 : 0));
        project.guidanceScaleLow = 3;
        EXPECT_THAT(guidanceProblems(project, row, true), IsEmpty());
    }
}

TEST(ContextWindowValidation, WindowsMustNotShareAllOfTheirFrames) {
    Project project = prompted();
    project.contextOverlap = 4000;
    EXPECT_EQ(faultOf(project), "") << "without windows it says nothing";
    project.contextFrames = 21;
    project.numFrames = 157;
    for (const std::int64_t overlap : {0, 1, 16, 20}) {
        project.contextOverlap = overlap;
        EXPECT_EQ(faultOf(project), "") << overlap;
        EXPECT_GT(contextWindows(project, 40, 4)->length, contextWindows(project, 40, 4)->overlap);
    }
    project.contextOverlap = 21;
    EXPECT_EQ(faultOf(project), "context-overlap-too-long context_overlap");
    const std::optional<Problem> error = firstError(project);
    ASSERT_TRUE(error);
    ASSERT_FALSE(error->fixes.empty());
    for (const KeyChange& change : error->fixes.front().changes)
        setFromText(project, *findProjectKey(change.key), change.value);
    EXPECT_EQ(faultOf(project), "");
}

TEST(ContextWindowValidation, CachesThatKeepBlocksAreRefusedAndOthersNeedWindowsThatRecur) {
    for (const StepCacheRow& row : stepCaches()) {
        Project project = prompted();
        project.contextFrames = 81;
        project.numFrames = 161;
        setFromText(project, *findProjectKey(row.key), "true");
        const std::string refused = "step-cache-with-windows " + std::string(row.key);
        EXPECT_EQ(faultOf(project), row.keepsBlocks ? refused : "");
        project.contextSchedule = "uniform";
        EXPECT_EQ(faultOf(project), refused);
        project.contextFrames = 161;  // one window that holds the clip
        EXPECT_EQ(faultOf(project), "");
    }
}

TEST(ContextWindowValidation, StaticWindowsHaveNoLevels) {
    Project project = prompted();
    project.contextFrames = 81;
    project.numFrames = 161;
    EXPECT_THAT(idsAt(project, "context_stride"), IsEmpty());
    project.contextStride = 2;
    EXPECT_THAT(idsAt(project, "context_stride"), ElementsAre("value-without-effect"));
    project.contextSchedule = "uniform";
    EXPECT_THAT(idsAt(project, "context_stride"), IsEmpty());
}

TEST(ContextWindowValidation, OneWindowIsNone) {
    Project project = prompted();
    EXPECT_FALSE(contextWindows(project, 40, 4));
    project.contextFrames = 81;
    EXPECT_FALSE(contextWindows(project, 21, 4));
    project.contextSchedule = "looped";
    project.contextStride = 8;
    const std::optional<ContextWindows> windows = contextWindows(project, 42, 4);
    ASSERT_TRUE(windows);
    EXPECT_EQ(windows->length, 21);
    EXPECT_EQ(windows->overlap, 4);
    EXPECT_EQ(windows->levels, 2) << "of every second frame, and no further";
    project.contextSchedule = "static";
    EXPECT_EQ(contextWindows(project, 42, 4)->levels, 1);
}

TEST(StepCacheValidation, CurvesAreCheckedAtTheDoor) {
    Project project = prompted();
    for (const char* bad : {"1, x", "1, 1, 1", "1, -2", "1, 1000"}) {
        project.magRatiosBase = bad;
        EXPECT_TRUE(faultOf(project).ends_with(" mag_ratios_base")) << bad << ": " << faultOf(project);
    }
    project.magRatiosBase = "1, 1, 0.99, 0.98";
    EXPECT_EQ(faultOf(project), "");
    project.magRatiosFile = "curve.json";
    EXPECT_EQ(faultOf(project), "keys-given-both mag_ratios_file");
}

TEST(StepCacheValidation, NumbersMayBeAList) {
    const LoadedProject loaded = parseProject(
        "version: 1\nprompt: a cat\nuse_magcache: true\nmag_ratios_base: [1.0, 1.0, 0.99, 0.98]\n", "p.yaml");
    EXPECT_EQ(loaded.project.magRatiosBase, "1.0, 1.0, 0.99, 0.98");
    EXPECT_EQ(parseProject(resolvedYaml(loaded.project), "again.yaml").project, loaded.project);
    EXPECT_FALSE(
        readProject("version: 1\nprompt: a cat\nmag_ratios_base: [1, [2]]\n", "p.yaml").problems.empty());
    EXPECT_FALSE(readProject("version: 1\nprompt: [a, cat]\n", "p.yaml").problems.empty());
}

TEST(StepCacheValidation, FilesBesideTheProjectAreFoundThere) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "p.yaml";
    std::ofstream(file)
        << "version: 1\nprompt: a cat\nmag_ratios_file: curve.json\ncompare_with: runs/first\n";
    const Project project = loadProject(file).project;
    EXPECT_EQ(project.magRatiosFile, (folder.path() / "curve.json").string());
    EXPECT_EQ(project.compareWith, (folder.path() / "runs/first").string());
}

TEST(NegativePrompt, ActsByGuidanceOrByAttentionGuidance) {
    Project project = prompted();
    project.guidanceScale = 1;
    project.negativePrompt = "a dog";
    EXPECT_THAT(idsAt(project, "negative_prompt"), ElementsAre("negative-prompt-unused"));
    project.nagScale = 11;
    EXPECT_THAT(idsAt(project, "negative_prompt"), IsEmpty());
    EXPECT_THAT(idsAt(project, "nag_scale"), IsEmpty());
    project.negativePrompt.clear();
    EXPECT_THAT(idsAt(project, "nag_scale"), ElementsAre("attention-guidance-unused"));
    project.preset = "distill-4";  // whose value it is
    EXPECT_THAT(idsAt(project, "nag_scale"), IsEmpty());
}

TEST(SigmaSpacing, IsNotForLevelsThatAreGiven) {
    Project project = prompted();
    project.sigmaSpacing = "beta57";
    EXPECT_EQ(faultOf(project), "");
    project.sigmas = "1, 0.5";
    EXPECT_EQ(faultOf(project), "keys-given-both sigma_spacing");
}

TEST(StepCacheValidation, EasyCacheDecidesForOneVideo) {
    Project project = prompted();
    project.useEasycache = true;
    project.batchPrompts = "a cat\na dog";
    EXPECT_EQ(faultOf(project), "keys-given-both use_easycache");
}

TEST(StepCacheValidation, EasyCacheNeedsStepsBetweenItsEnds) {
    Project project = prompted();
    project.useEasycache = true;
    project.easycacheStart = 0.95;
    EXPECT_EQ(faultOf(project), "step-cache-range-empty easycache_start");
}

TEST(Batch, EveryPromptWithEverySeed) {
    Project project = prompted();
    project.seed = 9;
    EXPECT_THAT(batchItems(project), ElementsAre(BatchItem{"a cat", 9}));
    project.batchPrompts = "a dog\n\n  a bird \n";
    EXPECT_THAT(batchItems(project), ElementsAre(BatchItem{"a dog", 9}, BatchItem{"a bird", 9}));
    project.batchSeeds = "1, 2";
    EXPECT_THAT(batchItems(project), ElementsAre(BatchItem{"a dog", 1}, BatchItem{"a dog", 2},
                                                 BatchItem{"a bird", 1}, BatchItem{"a bird", 2}));
    const Project own = extractProject(project, batchItems(project)[3]);
    EXPECT_THAT(batchItems(own), ElementsAre(BatchItem{"a bird", 2}));
}

TEST(Batch, RefusesWhatIsNoSeed) {
    Project project;
    project.batchPrompts = "a dog";  // stands for the prompt
    EXPECT_EQ(faultOf(project), "");
    for (const char* bad : {"1.5", "-2", "1, two", "1e300"}) {
        project.batchSeeds = bad;
        EXPECT_TRUE(faultOf(project).ends_with(" batch_seeds")) << bad;
    }
    project.batchSeeds = "1, 2";
    project.useFirstBlockCache = true;
    EXPECT_TRUE(faultOf(project).ends_with(" use_first_block_cache")) << faultOf(project);
}

}  // namespace
}  // namespace meshreel
