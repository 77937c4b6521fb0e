// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/pipelines/generation.h"
#include "engine/project/project_settings.h"
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

/// Three videos of a model of a family.
class BatchGeneration : public ::testing::TestWithParam<std::string_view> {
  protected:
    void SetUp() override {
        testing::makeTinyModel(m_folder.path() / "model", testing::tinyModelOf(GetParam()));
    }

    [[nodiscard]] Project batch() const {
        Project project = testing::smallProject();
        project.model = (m_folder.path() / "model").string();
        project.batchPrompts = "a red ball moving right\na blue box\na green star moving up";
        return project;
    }

    testing::TemporaryFolder m_folder;
};

TEST_P(BatchGeneration, EveryVideoIsThatOfARunOfItsOwn) {
    for (const char* scheduler : {"auto", "lcm"}) {
        Project project = batch();
        project.scheduler = scheduler;
        GenerationRecorder recorder;
        const GenerationResult together = generateOn(project, 1, recorder);
        const std::vector<BatchItem> items = batchItems(project);
        ASSERT_EQ(together.frames.extent(0), 3);
        for (std::size_t index = 0; index < items.size(); ++index) {
            GenerationRecorder alone;
            const GenerationResult own = generateOn(extractProject(project, items[index]), 1, alone);
            const auto row = static_cast<std::int64_t>(index);
            EXPECT_EQ(rowValues(together.latents.slice(row, row + 1)), rowValues(own.latents))
                << scheduler << ", video " << index;
        }
    }
}

TEST_P(BatchGeneration, AnyMeshMakesTheSame) {
    GenerationRecorder recorder;
    const GenerationResult alone = generateOn(batch(), 1, recorder);
    const auto first = rowValues(alone.latents);
    struct Axes {
        std::int64_t data;
        std::int64_t fsdp;
        std::int64_t context;
        std::int64_t tensor;
    };
    for (const Axes& axes :
         {Axes{2, 1, 1, 1}, Axes{4, 1, 1, 1}, Axes{1, 2, 1, 1}, Axes{2, 1, 2, 1}, Axes{1, 1, 1, 2}}) {
        Project project = batch();
        project.iciDataParallelism = axes.data;
        project.iciFsdpParallelism = axes.fsdp;
        project.iciContextParallelism = axes.context;
        project.iciTensorParallelism = axes.tensor;
        GenerationRecorder other;
        const auto devices = static_cast<int>(axes.data * axes.fsdp * axes.context * axes.tensor);
        const auto second = rowValues(generateOn(project, devices, other).latents);
        ASSERT_EQ(first.size(), second.size());
        for (std::size_t i = 0; i < first.size(); ++i)
            ASSERT_NEAR(first[i], second[i], 2e-4F)
                << "data " << axes.data << ", fsdp " << axes.fsdp << ", at " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Families, BatchGeneration,
                         ::testing::Values("wan2.1-t2v", "wan2.2-t2v-a14b", "wan2.2-ti2v"),
                         testing::PrintedName());

/// The blocks of a video that a cache leaves out are that video's.
TEST(BatchGeneration, GoesWithMagCache) {
    Project project = testing::smallProject();
    project.batchSeeds = "3, 4";
    project.useMagcache = true;
    project.magRatiosBase = "1, 1";
    project.retentionRatio = 0;
    GenerationRecorder recorder;
    const GenerationResult together = generateOn(project, 1, recorder);
    EXPECT_EQ(together.steps[1].work, StepWork::NoBlocks);
    GenerationRecorder alone;
    const Project second = extractProject(project, batchItems(project)[1]);
    EXPECT_EQ(rowValues(together.latents.slice(1, 2)), rowValues(generateOn(second, 1, alone).latents));
}

}  // namespace
}  // namespace meshreel
