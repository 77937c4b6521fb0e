// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/pipelines/generation.h"
#include "tests/support/generated.h"
#include "tests/support/printed_name.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using testing::generateOn;
using testing::GenerationRecorder;
using testing::rowValues;

using Settings = void (*)(Project&);

/// A cache on a tiny model of a family.
struct CacheCase {
    std::string_view name;
    std::string_view family;
    Settings useIt;
    Settings loosen;   // so that it shortens all that it may
    Settings tighten;  // so that it shortens nothing
    StepWork work;
};

void PrintTo(const CacheCase& value, std::ostream* out) {
    *out << value.name << " on " << value.family;
}

void useCfg(Project& project) {
    project.useCfgCache = true;
}
void useSen(Project& project) {
    project.useSenCache = true;
}
void useMag(Project& project) {
    project.useMagcache = true;
    project.magRatiosBase = "1, 1";
    project.retentionRatio = 0;
}
void useTea(Project& project) {
    project.useTeacache = true;
    project.teacacheCoefficients = "1, 0";
    project.teacacheThresh = 0.5;
}
void looseTea(Project& project) {
    project.teacacheThresh = 10;
}
void tightTea(Project& project) {
    project.teacacheCoefficients = "1";  // a change of one at every step, whatever the time
}
void useFirstBlock(Project& project) {
    project.useFirstBlockCache = true;
}
void useEasy(Project& project) {
    project.useEasycache = true;
}
void looseEasy(Project& project) {
    project.easycacheThresh = 10;
}
void tightEasy(Project& project) {
    project.easycacheThresh = 0;
}
void keepAsItIs(Project&) {}
void looseMag(Project& project) {
    project.magcacheThresh = 10;
}
void tightMag(Project& project) {
    project.magRatiosBase = "0.5, 0.5";
}
void looseFirstBlock(Project& project) {
    project.firstBlockThreshold = 10;
}
void tightFirstBlock(Project& project) {
    project.firstBlockThreshold = 0;
}

class StepCacheGeneration : public ::testing::TestWithParam<CacheCase> {
  protected:
    void SetUp() override {
        testing::makeTinyModel(m_folder.path() / "model", testing::tinyModelOf(GetParam().family));
    }

    [[nodiscard]] Project uncached() const {
        Project project = testing::smallProject();
        project.model = (m_folder.path() / "model").string();
        project.numInferenceSteps = 12;
        return project;
    }

    [[nodiscard]] Project cached(Settings settings) const {
        Project project = uncached();
        GetParam().useIt(project);
        settings(project);
        return project;
    }

    static std::vector<StepWork> worksOf(const GenerationResult& result) {
        std::vector<StepWork> works;
        for (const StepRecord& step : result.steps)
            works.push_back(step.work);
        return works;
    }

    testing::TemporaryFolder m_folder;
};

TEST_P(StepCacheGeneration, ShortensWhatItsPlanSays) {
    const Project project = cached(GetParam().loosen);
    PlanOptions options;
    options.workers = 1;
    const StepCachePlan plan = makePlan(project, options)->stepCache;
    ASSERT_GT(plan.shortenedAtMost(), 0);
    GenerationRecorder recorder;
    const GenerationResult result = generateOn(project, 1, recorder);
    const std::vector<StepWork> works = worksOf(result);
    // Three in a row at most, or until the latents have moved too far.
    if (plan.kind == StepCacheKind::Sen || plan.kind == StepCacheKind::Easy)
        EXPECT_THAT(works, ::testing::Contains(StepWork::Nothing));
    else
        EXPECT_EQ(works, plan.schedule);
    EXPECT_THAT(works, ::testing::Contains(GetParam().work));

    GenerationRecorder other;
    const GenerationResult straight = generateOn(uncached(), 1, other);
    EXPECT_THAT(worksOf(straight), ::testing::Each(StepWork::Everything));
    EXPECT_NE(rowValues(result.latents), rowValues(straight.latents));
}

TEST_P(StepCacheGeneration, NothingShortenedIsNothingChanged) {
    if (GetParam().tighten == nullptr)
        GTEST_SKIP() << "its schedule is fixed";
    GenerationRecorder one;
    GenerationRecorder two;
    const GenerationResult tight = generateOn(cached(GetParam().tighten), 1, one);
    EXPECT_THAT(worksOf(tight), ::testing::Each(StepWork::Everything));
    EXPECT_EQ(rowValues(tight.latents), rowValues(generateOn(uncached(), 1, two).latents));
}

TEST_P(StepCacheGeneration, AnyMeshMakesTheSame) {
    const Project project = cached(GetParam().loosen);
    GenerationRecorder recorder;
    const GenerationResult alone = generateOn(project, 1, recorder);
    const auto compare = [&](Project shared) {
        GenerationRecorder other;
        const GenerationResult result = generateOn(shared, 2, other);
        EXPECT_EQ(worksOf(result), worksOf(alone));
        const auto first = rowValues(alone.latents);
        const auto second = rowValues(result.latents);
        ASSERT_EQ(first.size(), second.size());
        for (std::size_t i = 0; i < first.size(); ++i)
            ASSERT_NEAR(first[i], second[i], 1e-3F) << i;
    };
    compare(project);
    for (std::int64_t Project::*axis :
         {&Project::iciDataParallelism, &Project::iciFsdpParallelism, &Project::iciTensorParallelism}) {
        Project onAxis = project;
        onAxis.iciContextParallelism = 1;
        onAxis.*axis = 2;
        compare(onAxis);
    }
}

TEST_P(StepCacheGeneration, ContinuesFromAnyStepWithTheSameBits) {
    const Project project = cached(GetParam().loosen);
    GenerationRecorder whole;
    const GenerationResult straight = generateOn(project, 1, whole);
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        GenerationRecorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        EXPECT_EQ(rowValues(generateOn(project, 1, rest, start).latents), rowValues(straight.latents))
            << "after step " << snapshot.stepsDone;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Caches, StepCacheGeneration,
    ::testing::Values(
        CacheCase{"CFG cache", "wan2.1-t2v", useCfg, keepAsItIs, nullptr, StepWork::PromptOnly},
        CacheCase{"CFG cache", "wan2.2-t2v-a14b", useCfg, keepAsItIs, nullptr, StepWork::PromptOnly},
        CacheCase{"SenCache", "wan2.2-t2v-a14b", useSen, keepAsItIs, nullptr, StepWork::Nothing},
        CacheCase{"MagCache", "wan2.1-t2v", useMag, looseMag, tightMag, StepWork::NoBlocks},
        CacheCase{"MagCache", "wan2.2-t2v-a14b", useMag, looseMag, tightMag, StepWork::NoBlocks},
        CacheCase{"MagCache", "wan2.1-vace", useMag, looseMag, tightMag, StepWork::NoBlocks},
        CacheCase{"TeaCache", "wan2.1-t2v", useTea, looseTea, tightTea, StepWork::NoBlocks},
        CacheCase{"TeaCache", "wan2.2-t2v-a14b", useTea, looseTea, tightTea, StepWork::NoBlocks},
        CacheCase{"TeaCache", "wan2.1-vace", useTea, looseTea, tightTea, StepWork::NoBlocks},
        CacheCase{"EasyCache", "wan2.1-t2v", useEasy, looseEasy, tightEasy, StepWork::Nothing},
        CacheCase{"EasyCache", "wan2.2-t2v-a14b", useEasy, looseEasy, tightEasy, StepWork::Nothing},
        CacheCase{"EasyCache", "wan2.2-ti2v", useEasy, looseEasy, tightEasy, StepWork::Nothing},
        CacheCase{"first block", "wan2.1-t2v", useFirstBlock, looseFirstBlock, tightFirstBlock,
                  StepWork::FirstBlock},
        CacheCase{"first block", "wan2.2-t2v-a14b", useFirstBlock, looseFirstBlock, tightFirstBlock,
                  StepWork::FirstBlock},
        CacheCase{"first block", "wan2.1-vace", useFirstBlock, looseFirstBlock, tightFirstBlock,
                  StepWork::FirstBlock},
        CacheCase{"first block", "wan2.2-ti2v", useFirstBlock, looseFirstBlock, tightFirstBlock,
                  StepWork::FirstBlock}),
    testing::PrintedName());

}  // namespace
}  // namespace meshreel
