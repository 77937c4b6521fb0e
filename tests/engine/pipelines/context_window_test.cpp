// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/pipelines/denoise.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/step_passes.h"
#include "engine/sampling/context_windows.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/generated.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_wan.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using testing::generateOn;
using testing::GenerationRecorder;
using testing::randomTensor;
using testing::rowValues;

/// A clip of seven frames on a small transformer that takes 3 channels beside the latents.
class ContextWindowPasses : public ::testing::Test {
  protected:
    static WanTransformerConfig smallConfig() {
        return {.heads = 2,
                .headDim = 16,
                .inChannels = 7,
                .outChannels = 4,
                .textDim = 12,
                .freqDim = 16,
                .ffnDim = 24,
                .layers = 2};
    }

    ContextWindowPasses()
        : m_random(smallConfig(), 5),
          m_transformer(smallConfig(), m_random.checkpoint(), planAttentions({}, smallConfig())),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {
        m_visual.channels = randomTensor({1, 3, 7, 4, 4}, 3);
    }

    /// The predictions of the second of two steps.
    [[nodiscard]] StepPrediction predicted(const std::optional<ContextWindows>& windows) {
        SchedulerConfig config;
        config.className = "FlowMatchEulerDiscreteScheduler";
        const auto scheduler = makeScheduler(config);
        scheduler->setTimesteps(2);
        StepPrediction prediction;
        static_cast<void>(scheduler->step(Tensor::zeros(m_latents.shape()), m_latents));
        denoise(m_lone.device(), m_transformer, *scheduler, m_text, m_visual,
                {.guidanceScale = 5, .firstStep = 1, .windows = windows}, m_latents.clone(),
                [&](const DenoiseStep& done) { prediction = done.prediction; });
        m_timestep = scheduler->timesteps()[1];
        return prediction;
    }

    /// The transformer's own prediction of some frames, with the channels of others.
    [[nodiscard]] Tensor ofFrames(const WindowFrames& frames, const WindowFrames& channels,
                                  const Tensor& text) {
        const WanInputs inputs{
            .latents =
                joined({framesOf(m_latents, frames), framesOf(*m_visual.channels, channels)}, channelAxis),
            .timesteps = Tensor::from({1}, std::vector<float>{static_cast<float>(m_timestep)})};
        return m_transformer.forward(m_lone.device(), inputs, {.text = text});
    }

    testing::RandomWan m_random;
    WanTransformer m_transformer;
    WorkerPool m_pool;
    LoneDevice m_lone;
    VisualConditioning m_visual;
    Tensor m_latents = randomTensor({1, 4, 7, 4, 4}, 7);
    TextConditioning m_text{randomTensor({1, 6, 12}, 1), randomTensor({1, 6, 12}, 2)};
    double m_timestep = 0;
};

TEST_F(ContextWindowPasses, EachIsAVideoOfItsOwnAndTheyAreFused) {
    for (const WindowScheduleRow& schedule : windowSchedules())
        for (const WindowFuseRow& fuse : windowFuses()) {
            SCOPED_TRACE(std::string(schedule.name) + " " + std::string(fuse.name));
            const ContextWindows windows{.schedule = schedule.schedule,
                                         .fuse = fuse.fuse,
                                         .frames = 7,
                                         .length = 3,
                                         .overlap = 1,
                                         .levels = schedule.schedule == WindowSchedule::Static ? 1 : 2};
            const StepPrediction prediction = predicted(windows);
            Tensor cond = Tensor::zeros(m_latents.shape());
            Tensor uncond = cond.clone();
            const auto list = windows.ofStep(1);
            const auto shares = windowShares(windows, list);
            for (std::size_t index = 0; index < list.size(); ++index) {
                addWindow(cond, ofFrames(list[index], list[index], m_text.prompt), list[index],
                          shares[index]);
                addWindow(uncond, ofFrames(list[index], list[index], *m_text.negative), list[index],
                          shares[index]);
            }
            EXPECT_EQ(rowValues(prediction.cond), rowValues(cond));
            EXPECT_EQ(rowValues(*prediction.uncond), rowValues(uncond));
        }
}

TEST_F(ContextWindowPasses, OneThatHoldsTheClipMakesTheBitsOfNone) {
    const ContextWindows windows{.frames = 7, .length = 7};
    EXPECT_EQ(rowValues(predicted(windows).guided), rowValues(predicted({}).guided));
    const ContextWindows two{.frames = 7, .length = 5, .overlap = 3};
    EXPECT_NE(rowValues(predicted(two).guided), rowValues(predicted({}).guided));
}

TEST_F(ContextWindowPasses, ARetainedFirstFrameIsSeenInEach) {
    const ContextWindows windows{.frames = 7, .length = 5, .overlap = 3, .retainsFirst = true};
    const StepPrediction prediction = predicted(windows);
    Tensor cond = Tensor::zeros(m_latents.shape());
    const auto list = windows.ofStep(1);
    const auto shares = windowShares(windows, list);
    ASSERT_EQ(list.size(), 2U);
    addWindow(cond, ofFrames(list[0], list[0], m_text.prompt), list[0], shares[0]);
    addWindow(cond, ofFrames({2, 3, 4, 5, 6}, {0, 3, 4, 5, 6}, m_text.prompt), list[1], shares[1]);
    EXPECT_EQ(rowValues(prediction.cond), rowValues(cond));
}

Project longProject() {
    Project project = testing::smallProject();
    project.numFrames = 25;
    project.numInferenceSteps = 3;
    project.contextFrames = 13;
    project.contextOverlap = 8;
    return project;
}

TEST(ContextWindowGeneration, AClipThatOneWindowHoldsHasTheBitsOfNone) {
    Project project = longProject();
    project.contextFrames = 25;
    GenerationRecorder windowed;
    const GenerationResult one = generateOn(project, 1, windowed);
    project.contextFrames = 0;
    GenerationRecorder whole;
    EXPECT_EQ(rowValues(one.latents), rowValues(generateOn(project, 1, whole).latents));
}

TEST(ContextWindowGeneration, EverySettingCounts) {
    const auto latentsOf = [](const Project& project) {
        GenerationRecorder recorder;
        return rowValues(generateOn(project, 1, recorder).latents);
    };
    const auto usual = latentsOf(longProject());
    const std::vector<void (*)(Project&)> changes{
        [](Project& project) { project.contextFrames = 0; },
        [](Project& project) { project.contextFrames = 17; },
        [](Project& project) { project.contextOverlap = 0; },
        [](Project& project) { project.contextSchedule = "uniform"; },
        [](Project& project) { project.contextSchedule = "looped"; },
        [](Project& project) { project.contextFuse = "linear"; },
        [](Project& project) { project.contextFuse = "flat"; },
        [](Project& project) { project.contextFreenoise = false; }};
    for (std::size_t index = 0; index < changes.size(); ++index) {
        Project project = longProject();
        changes[index](project);
        EXPECT_NE(latentsOf(project), usual) << index;
    }
    Project several = longProject();
    several.numFrames = 29;
    several.contextSchedule = "uniform";
    const auto one = latentsOf(several);
    several.contextStride = 2;
    EXPECT_NE(latentsOf(several), one);
}

TEST(ContextWindowGeneration, ContinuesFromAnyStepWithTheSameBits) {
    for (const char* schedule : {"static", "uniform", "looped"}) {
        Project project = longProject();
        project.contextSchedule = schedule;
        GenerationRecorder whole;
        const auto straight = rowValues(generateOn(project, 1, whole).latents);
        for (const SamplerSnapshot& snapshot : whole.snapshots) {
            GenerationRecorder rest;
            GenerationStart start;
            start.resumeFrom = snapshot;
            EXPECT_EQ(rowValues(generateOn(project, 1, rest, start).latents), straight)
                << schedule << " after step " << snapshot.stepsDone;
        }
    }
}

// With two halves of guidance, more devices than rows: each takes some windows, some of them none in the end.
TEST(ContextWindowGeneration, DevicesThatShareOutTheWindowsMakeTheSame) {
    Project project = longProject();
    project.contextSchedule = "looped";
    const auto latentsOn = [&project](int data, int fsdp) {
        project.iciDataParallelism = data;
        project.iciFsdpParallelism = fsdp;
        GenerationRecorder recorder;
        return rowValues(generateOn(project, data * fsdp, recorder).latents);
    };
    const auto alone = latentsOn(1, 1);
    const auto two = latentsOn(2, 1);
    ASSERT_EQ(two.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i)
        ASSERT_NEAR(two[i], alone[i], 2e-4F) << i;
    EXPECT_EQ(latentsOn(3, 1), two);
    EXPECT_EQ(latentsOn(5, 1), two);
    EXPECT_EQ(latentsOn(2, 2), two);
}

TEST(ContextWindowGeneration, APlanCountsThePassesOfTheDeviceWithMostWindows) {
    Project project = longProject();
    const auto passesOn = [&project](int devices) {
        project.devices = devices;
        project.iciDataParallelism = devices;
        return passesPerStep(*makePlan(project, {.oversubscribe = true}));
    };
    const int alone = passesOn(1);
    ASSERT_GT(alone, 3);
    EXPECT_EQ(passesOn(2), (alone + 1) / 2);
    EXPECT_EQ(passesOn(3), (alone + 2) / 3);
    EXPECT_EQ(passesOn(alone), 1);
}

TEST(ContextWindowGeneration, TheSeamOfALoopIsMeasured) {
    Project project = longProject();
    GenerationRecorder open;
    generateOn(project, 1, open);
    const auto tellsSeam = ::testing::Contains(::testing::HasSubstr("Seam of the loop"));
    EXPECT_THAT(open.messages, ::testing::Not(tellsSeam));
    project.contextSchedule = "looped";
    GenerationRecorder looped;
    generateOn(project, 1, looped);
    EXPECT_THAT(looped.messages, tellsSeam);
}

TEST(ContextWindowGeneration, EasyCacheTakesFusedPredictionsOver) {
    Project project = longProject();
    project.numInferenceSteps = 8;
    project.useEasycache = true;
    project.easycacheThresh = 10;
    GenerationRecorder recorder;
    const GenerationResult cached = generateOn(project, 1, recorder);
    EXPECT_THAT(cached.steps, ::testing::Contains(::testing::Field(&StepRecord::work, StepWork::Nothing)));
    project.easycacheThresh = 0;
    GenerationRecorder other;
    const auto computed = rowValues(generateOn(project, 1, other).latents);
    project.useEasycache = false;
    GenerationRecorder without;
    EXPECT_EQ(rowValues(generateOn(project, 1, without).latents), computed);
    EXPECT_NE(rowValues(cached.latents), computed);
}

}  // namespace
}  // namespace meshreel
