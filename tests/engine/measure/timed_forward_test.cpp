// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/timed_forward.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/measure/tile_tuning.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_file.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

WanTransformerConfig smallTransformer() {
    WanTransformerConfig config;
    config.heads = 2;
    config.headDim = 16;
    config.textDim = 24;
    config.ffnDim = 48;
    config.layers = 1;
    return config;
}

PlanPtr planOf(const Project& project) {
    return makePlan(project, {.workers = 1, .memoryBytes = std::uint64_t{1} << 40});
}

TEST(TimedForward, RunsOnAnyMeshAndCountsWhatMoves) {
    const ForwardWorkload workload{.config = smallTransformer(), .latents = {2, 16, 2, 4, 6}};
    WorkerPool workers({.workers = 1});
    const RandomCheckpoint random({workers, {}}, wanTensors(workload.config, DType::F32));
    for (const MeshShape& shape :
         {MeshShape{}, MeshShape{.data = 2}, MeshShape{.fsdp = 2}, MeshShape{.tensor = 2},
          MeshShape{.context = 2}, MeshShape{.data = 2, .context = 2}}) {
        const MeshLayout layout(shape);
        TimedForward forward(workload, {.layout = layout}, planAttentions({}, workload, layout),
                             random.checkpoint());
        const ForwardPass pass = forward.run({});
        EXPECT_GT(pass.seconds, 0);
        EXPECT_EQ(pass.bytesMoved > 0, shape.fsdp * shape.tensor * shape.context > 1);
    }
}

TEST(TileTuning, TimesEveryChoiceAndTheProjectsOwn) {
    Project project = testing::smallProject();
    project.attention = "ulysses_ring_custom";
    project.ulyssesShards = 2;
    project.devices = 4;
    const PlanPtr plan = planOf(project);
    const TileTuningTask task = planTiles(*plan, {});
    EXPECT_EQ(task.label, "wan/ulysses_ring_custom/u2");
    EXPECT_EQ(task.sequence, (LocalSequence{4, 4})) << "two frames of 2 x 2 tokens, halved by the ring";
    const TileTuning tuning = tuneTiles(*plan, task, {.iterations = 2, .warmUp = 1}, {});
    ASSERT_EQ(tuning.trials.size(), task.choices.size());
    for (const TileSample& trial : tuning.trials)
        EXPECT_EQ(trial.seconds.size(), 2U) << trial.detail;
    EXPECT_EQ(tuning.now.blocks, plan->attentions.self.blocks);
    EXPECT_EQ(tuning.now.seconds.size(), 2U);
}

TEST(TileTuning, BlocksBeyondTheProjectsLimitAreOutOfMemory) {
    Project project = testing::smallProject();
    project.attention = "ulysses_custom";
    project.blockQ = project.blockKv = project.blockKvCompute = 32;
    project.vmemLimitBytes = 200000;
    const PlanPtr plan = planOf(project);
    TileTuningTask task = planTiles(*plan, {.scratchBytes = 1 << 26});
    task.choices = {task.choices.front()};
    task.choices[0].blockQ = 4096;
    const TileTuning tuning = tuneTiles(*plan, task, {.iterations = 1, .warmUp = 1}, {});
    EXPECT_EQ(tuning.trials[0].status, SampleStatus::OutOfMemory);
    EXPECT_EQ(tuning.now.status, SampleStatus::Ok);
}

TEST(TileTuning, RefusesWhatHasNoBlocks) {
    Project project = testing::smallProject();
    project.attention = "dot_product";
    EXPECT_THROW(planTiles(*planOf(project), {}), Error);
}

TEST(TileTuning, TheWinnerIsWrittenBesideWhatThePersonWrote) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "wan.yaml";
    writeFileAtomically(file,
                        "version: 1\nprompt: a cat  # mine\nflash_block_sizes:\n  block_q: 512  # old\n");
    writeTiles(file, {.blockQ = 768, .blockKv = 1024, .blockKvCompute = 1024});
    const std::string text = readFile(file);
    EXPECT_NE(text.find("prompt: a cat  # mine"), std::string::npos) << text;
    EXPECT_NE(text.find("block_q: 768  # old"), std::string::npos) << text;
    const Project project = loadProject(file).project;
    EXPECT_EQ(project.blockKv, 1024);
    EXPECT_EQ(project.blockKvCompute, 1024);
    EXPECT_EQ(project.blockKvComputeIn, 0);
}

}  // namespace
}  // namespace meshreel
