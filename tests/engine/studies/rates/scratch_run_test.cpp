// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/scratch_run.h"

#include <gtest/gtest.h>

#include "engine/base/stop_token.h"

namespace meshreel {
namespace {

TEST(ScratchRun, KeepsCheckpointsApartFromSteps) {
    Project project;
    project.prompt = "a red ball";
    project.width = project.height = 32;
    project.numFrames = 5;
    project.numInferenceSteps = 3;
    project.workers = 1;
    const ScratchRun run = runInScratch(project, {});
    EXPECT_EQ(run.work.aroundSteps[WorkClass::Checkpoints], 3);
    EXPECT_GT(run.stepSeconds, 0);
    EXPECT_GT(run.aroundStepsSeconds, 0);
    const double denoising = run.stages[static_cast<std::size_t>(RunStage::Denoising)];
    EXPECT_GT(denoising, run.stepSeconds + run.aroundStepsSeconds);
    EXPECT_GT(run.total(), denoising);
}

}  // namespace
}  // namespace meshreel
