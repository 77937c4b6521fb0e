// SPDX-License-Identifier: GPL-3.0-or-later
// What plans count for videos that are made window by window, or clip by clip.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "engine/checks/project_check.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/work.h"
#include "engine/estimates/workload.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "tests/support/refusal.h"
#include "tests/support/task_plans.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TaskPlans;

TEST_F(TaskPlans, WindowsTakeTheMemoryOfOneAndTheTimeOfAll) {
    Project project = projectOn("wan2.1-t2v");
    project.numFrames = 13;
    const PlanPtr of = plan(project);
    project.numFrames = 25;
    const PlanPtr whole = plan(project);
    project.contextFrames = 13;
    project.contextOverlap = 8;
    const PlanPtr windowed = plan(project);
    ASSERT_TRUE(windowed->windows);
    EXPECT_EQ(windowed->windowsIn(0), 3);  // from the frames 0, 2 and, moved to the end, 3 of 7
    EXPECT_EQ(windowed->latentShape, whole->latentShape);
    EXPECT_EQ(windowed->tokens, of->tokens);
    EXPECT_EQ(passesPerStep(*windowed), 3 * passesPerStep(*of));
    EXPECT_LT(windowed->memory.device.activations, whole->memory.device.activations);
    EXPECT_DOUBLE_EQ(windowed->flops.transformerPass, of->flops.transformerPass);
    EXPECT_DOUBLE_EQ(windowed->flops.step, 3 * of->flops.step);
    const auto linear = [](const RunPlan& counted) {
        return measureWork(counted)[RunStage::Denoising][WorkClass::LinearF32];
    };
    EXPECT_NEAR(linear(*windowed) / linear(*of), 3, 1e-9);

    project.contextSchedule = "uniform";
    const PlanPtr uniform = plan(project);
    int passes = 0;
    for (int step = 0; step < uniform->loopSteps(); ++step)
        passes += uniform->windowsIn(step);
    EXPECT_NEAR(linear(*uniform) / linear(*of), static_cast<double>(passes) / uniform->loopSteps(), 1e-9);
    EXPECT_THAT(describePlan(*uniform), ::testing::HasSubstr("uniform, fused pyramid, FreeNoise"));
}

TEST_F(TaskPlans, WindowsSeeFacesWhoseMotionIsEncodedOnce) {
    Project project = animation();
    project.segmentFrameLength = Project().segmentFrameLength;
    project.numFrames = 13;
    project.contextFrames = 5;
    project.contextOverlap = 4;
    project.guidanceScale = 1;
    const PlanPtr windowed = plan(project);
    ASSERT_TRUE(windowed->windows);
    const auto around = [](const RunPlan& of) { return measureWork(of).aroundSteps[WorkClass::LinearF32]; };
    project.numInferenceSteps *= 2;
    EXPECT_DOUBLE_EQ(around(*plan(project)), around(*windowed)) << "whatever the number of steps";
    project.contextSchedule = "uniform";
    EXPECT_DOUBLE_EQ(around(*plan(project)), around(*windowed)) << "and of windows";

    // Of each window what its tokens attend to is kept; the text's keys and values once.
    project.contextSchedule = "static";
    ModelFacts facts = windowed->model;
    facts.transformer.animate.reset();
    const auto activations = [](const RunPlan& of) {
        return static_cast<double>(of.memory.device.activations);
    };
    const auto withoutFaces = [&](const RunPlan& of) {
        const Workload work{.latentShape = of.latentShape,
                            .passFrames = of.passFrames(),
                            .tokens = of.tokens,
                            .guided = of.guided,
                            .windows = of.windowsIn(0),
                            .placement = of.placement,
                            .workersPerDevice = 1,
                            .layout = of.layout};
        return static_cast<double>(
            estimateMemory(of.project, facts, work, of.attentions.self).device.activations);
    };
    const double width = static_cast<double>(windowed->model.transformer.innerDim());
    const double ofWindow = 2 * 2 * static_cast<double>(windowed->passFrames()) * 3 * width * f32;
    EXPECT_EQ(activations(*windowed) - withoutFaces(*windowed), windowed->windowsIn(0) * ofWindow);
    project.guidanceScale = 3;
    const PlanPtr guided = plan(project);
    EXPECT_EQ(activations(*guided) - withoutFaces(*guided), (guided->windowsIn(0) + 1) * ofWindow)
        << "and blank faces for the negative halves";
}

TEST_F(TaskPlans, ReferencesAreInEveryWindow) {
    Project project = projectOn("wan2.1-vace");
    project.referenceImages = input("a.png") + ", " + input("b.png");
    project.contextFrames = 5;
    project.contextOverlap = 4;
    const PlanPtr edit = plan(project);
    ASSERT_TRUE(edit->windows);
    EXPECT_EQ(edit->windows->frames, 3);
    EXPECT_EQ(edit->windows->leading, 2);
    EXPECT_EQ(edit->tokens, edit->windows->passFrames() * 4 * 4);
    Project subjects = project;
    subjects.model = projectOn("wan2.1-phantom").model;
    const PlanPtr shown = plan(subjects);
    EXPECT_EQ(shown->windows->leading, 0);
    ASSERT_EQ(shown->groups.size(), 1U);
    EXPECT_EQ(shown->groups.front().firstFrame, shown->passFrames()) << "behind each window";
    EXPECT_EQ(shown->tokens, (shown->passFrames() + 2) * 4 * 4);
}

TEST_F(TaskPlans, WindowsThatATaskCannotUseAreRefusedWithACure) {
    using ::testing::Contains;
    using ::testing::ElementsAre;
    using ::testing::IsEmpty;
    const auto change = [](const char* key, const char* value) {
        return Contains(::testing::Field(&Fix::changes, KeyChanges{{.key = key, .value = value}}));
    };
    Project image = projectOn("wan2.1-i2v");
    image.image = input("a.png");
    image.contextFrames = 9;
    image.contextOverlap = 4;
    EXPECT_THAT(refusals(image), IsEmpty()) << "one window";
    image.contextFrames = 5;
    ASSERT_THAT(refusals(image), ElementsAre(testing::Fault("context-windows-not-for-task")));
    EXPECT_THAT(refusals(image).front().fixes, change("context_retain_first", "true"));
    image.contextRetainFirst = true;
    EXPECT_THAT(refusals(image), IsEmpty());

    Project both = projectOn("wan2.2-ti2v");
    both.contextFrames = 5;
    both.contextOverlap = 4;
    EXPECT_THAT(refusals(both), IsEmpty());
    both.image = input("a.png");
    both.contextRetainFirst = true;
    ASSERT_THAT(refusals(both), ElementsAre(testing::Fault("context-windows-not-for-task")));
    EXPECT_THAT(refusals(both).front().fixes, change("context_frames", "0"));

    Project text = projectOn("wan2.1-t2v");
    text.contextFrames = 5;
    text.contextOverlap = 4;
    text.contextRetainFirst = true;
    EXPECT_THAT(check(text, &plan(text)->model), Contains(testing::Fault("value-without-effect")));

    Project animated = animation();
    animated.contextFrames = 5;
    animated.contextOverlap = 4;
    ASSERT_THAT(refusals(animated), ElementsAre(testing::Fault("keys-given-both")));
    EXPECT_THAT(refusals(animated).front().fixes, change("context_frames", "0"));
    EXPECT_THAT(refusals(animated).front().fixes, change("segment_frame_length", "77"));
    animated.segmentFrameLength = 77;
    EXPECT_THAT(refusals(animated), IsEmpty());
    animated.prevSegmentConditioningFrames = 5;
    EXPECT_THAT(check(animated, &plan(animated)->model), Contains(testing::Fault("value-without-effect")));
    animated.prevSegmentConditioningFrames = Project().prevSegmentConditioningFrames;
    EXPECT_EQ(plan(animated)->segments.count, 1);
    EXPECT_EQ(plan(animated)->windows->leading, 1);
    animated.contextRetainFirst = true;
    ASSERT_THAT(refusals(animated), ElementsAre(testing::Fault("context-windows-not-for-task")));
    EXPECT_THAT(refusals(animated).front().fixes, change("context_retain_first", "false"));
    animated.contextFrames = animated.numFrames;  // the clip, though not the segment of 77
    EXPECT_THAT(refusals(animated), IsEmpty());
    EXPECT_FALSE(plan(animated)->windows);
}

TEST_F(TaskPlans, CurvesAreNotMeasuredThroughWindows) {
    Project project = projectOn("wan2.1-t2v");
    project.contextFrames = 5;
    project.contextOverlap = 4;
    EXPECT_THROW(
        makePlan(project, {.workers = 1, .memoryBytes = plentyForEstimates, .measuresMagRatios = true}),
        ProjectError);
}

TEST_F(TaskPlans, TextsOfWindowsKeepKeysOfTheirOwn) {
    Project project = projectOn("wan2.1-vace");
    project.guidanceScale = 1;
    project.numFrames = 81;
    project.contextFrames = 41;
    project.prompt = "aaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const PlanPtr one = plan(project);
    project.prompt = "aaaaaaaa | bbbbbb | ccccccc";
    const PlanPtr three = plan(project);
    EXPECT_EQ(three->textsOfPrompt(), 3);
    const auto textTokens = static_cast<double>(project.prompt.size() + 3);
    const double width = static_cast<double>(one->model.transformer.innerDim());
    EXPECT_EQ(static_cast<double>(three->memory.device.activations - one->memory.device.activations),
              2 * (2 + 2) * 2 * textTokens * width * f32);
    EXPECT_GT(three->flops.denoising, one->flops.denoising);
}

TEST_F(TaskPlans, SpeechIsMadeClipByClip) {
    Project project = projectOn("wan2.2-s2v");
    project.image = input("a.png");
    project.speech = input("voice.wav");
    project.numFrames = 77;
    const PlanPtr one = plan(project);
    ASSERT_EQ(one->segments.count, 1);
    EXPECT_THAT(encodedFrames(*one), ElementsAre(1));
    project.numFrames = 81;
    const PlanPtr two = plan(project);
    ASSERT_EQ(two->segments.count, 2);
    EXPECT_EQ(two->latentShape, (Shape{1, 16, 20, 8, 8}));
    EXPECT_EQ(two->videoLatentShape(), (Shape{1, 16, 2 * 39, 8, 8}));
    EXPECT_EQ(two->tokens, 20 * 16 + 16 + (16 + 4 + 4))
        << "with the picture, and motion the coarser the older";
    EXPECT_EQ(two->steps(), 2 * one->steps());
    EXPECT_EQ(two->oldFrames(0), 4);
    EXPECT_EQ(two->oldFrames(1), 73);
    EXPECT_EQ(two->firstNewFrame(1), 77);
    EXPECT_EQ(two->frameTimes(1)[0], 77.0 / 4);
    EXPECT_THAT(encodedFrames(*two), ElementsAre(1, 1, 73));
    project.poseVideo = input("pose.mp4");
    EXPECT_THAT(encodedFrames(*plan(project)), ElementsAre(1, 81, 1, 73, 81));

    EXPECT_GE(two->memory.denoising.activations, one->memory.denoising.activations);
    const WanVaeConfig& vae = two->model.vae;
    const double between = vaeDecodeWork(vae, {1, 16, 39, 8, 8}).computedFlops;
    EXPECT_DOUBLE_EQ(measureWork(*two).aroundSteps[WorkClass::ConvolutionF32], between);
    EXPECT_EQ(measureWork(*one).aroundSteps[WorkClass::ConvolutionF32], 0.0);
}

}  // namespace
}  // namespace meshreel
