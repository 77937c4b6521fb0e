// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/timing/trace.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Notes every event by name, keeps every snapshot, and can spoil or stop the run.
class Recorder : public GenerationObserver {
  public:
    void phaseStarted(Phase phase) override { events.push_back("+" + std::string(nameOf(phase))); }
    void phaseFinished(Phase phase, double seconds) override {
        events.push_back("-" + std::string(nameOf(phase)));
        EXPECT_GE(seconds, 0);
    }
    void progressed(const Progress& progress) override {
        EXPECT_GE(progress.fraction, fraction);
        fraction = progress.fraction;
    }
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override {
        events.push_back("step " + std::to_string(record.step));
        SamplerSnapshot copy{snapshot.stepsDone, snapshot.latents.clone(), {}};
        for (const auto& [name, tensor] : snapshot.history)
            copy.history.emplace_back(name, tensor.clone());
        snapshots.push_back(std::move(copy));
        if (record.step == stopAfter)
            stop.request_stop();
    }
    [[nodiscard]] bool wantsPreviews() const override { return previews; }
    void preview(int step, const Tensor& frames) override {
        EXPECT_EQ(frames.dtype(), DType::U8);
        EXPECT_EQ(frames.extent(3), 3);
        events.push_back("preview " + std::to_string(step));
    }
    void latentsReady(const Tensor&) override { events.push_back("latents"); }
    void framesReady(const Tensor&) override { events.push_back("frames"); }

    std::vector<std::string> events;
    std::vector<SamplerSnapshot> snapshots;
    double fraction = 0;
    bool previews = false;
    int stopAfter = -1;
    StopSource stop;
};

RunPlan planFor(const Project& project) {
    PlanOptions options;
    options.workers = 2;
    return makePlan(project, options);
}

GenerationResult generateWith(Recorder& recorder, const Project& project, const GenerationStart& start = {}) {
    const RunPlan plan = planFor(project);
    DeviceMesh mesh(meshOptions(plan));
    return generate({mesh, recorder.stop.get_token()}, plan, start, recorder);
}

std::vector<float> valuesOf(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

TEST(Generation, TellsItsEventsInOrder) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 2;
    Recorder recorder;
    recorder.previews = true;
    const GenerationResult result = generateWith(recorder, project);
    EXPECT_THAT(recorder.events,
                ElementsAre("+Load", "-Load", "+Compile", "-Compile", "+Conditioning", "-Conditioning",
                            "+Denoise", "step 0", "preview 0", "step 1", "preview 1", "-Denoise", "latents",
                            "+Decode", "-Decode", "frames"));
    EXPECT_EQ(result.frames.shape(), (Shape{1, 5, 32, 32, 3}));
    EXPECT_EQ(result.latents.shape(), (Shape{1, 16, 2, 4, 4}));
    EXPECT_EQ(recorder.fraction, 1);
}

TEST(Generation, TimingsAddUp) {
    Recorder recorder;
    GenerationStart start;
    start.planningSeconds = 100;
    const TimingSummary timings = generateWith(recorder, testing::smallProject(), start).timings;
    EXPECT_TRUE(timings.hasTrace);
    EXPECT_GE(timings.compile, 100);
    EXPECT_LE(timings.compute + timings.hostFormatting, timings.vaeDecode);
    EXPECT_LE(timings.conditioning + timings.denoiseTotal + timings.vaeDecode, timings.inference);
}

TEST(Generation, EqualSeedsGiveEqualBitsAndOthersDoNot) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 2;
    Recorder first;
    Recorder second;
    Recorder third;
    const auto latents = valuesOf(generateWith(first, project).latents);
    EXPECT_EQ(latents, valuesOf(generateWith(second, project).latents));
    project.seed += 1;
    EXPECT_NE(latents, valuesOf(generateWith(third, project).latents));
}

TEST(Generation, ContinuesFromAnyStepWithTheSameBits) {
    Recorder whole;
    const GenerationResult straight = generateWith(whole, testing::smallProject());
    ASSERT_EQ(whole.snapshots.size(), 4U);
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        Recorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        const GenerationResult resumed = generateWith(rest, testing::smallProject(), start);
        EXPECT_EQ(resumed.steps.size(), static_cast<std::size_t>(4 - snapshot.stepsDone));
        EXPECT_EQ(valuesOf(resumed.latents), valuesOf(straight.latents))
            << "after step " << snapshot.stepsDone;
        EXPECT_TRUE(
            std::ranges::equal(resumed.frames.data<std::uint8_t>(), straight.frames.data<std::uint8_t>()));
    }
}

TEST(Generation, GuidanceOfOneLeavesTheNegativePromptOut) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 1;
    project.guidanceScale = 1;
    Recorder first;
    Recorder second;
    const auto latents = valuesOf(generateWith(first, project).latents);
    project.negativePrompt = "blue";
    EXPECT_EQ(latents, valuesOf(generateWith(second, project).latents));
    project.guidanceScale = 3;
    Recorder third;
    EXPECT_NE(latents, valuesOf(generateWith(third, project).latents));
}

TEST(Generation, AStopEndsItWithinTheStep) {
    Recorder recorder;
    recorder.stopAfter = 1;
    try {
        generateWith(recorder, testing::smallProject());
        FAIL() << "was not cancelled";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(recorder.snapshots.size(), 2U);
}

TEST(Generation, ANaNIsToldWithItsStepAndBlock) {
    Recorder whole;
    generateWith(whole, testing::smallProject());
    GenerationStart start;
    start.resumeFrom = whole.snapshots[1];
    start.resumeFrom->latents.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
    Recorder recorder;
    try {
        generateWith(recorder, testing::smallProject(), start);
        FAIL() << "went on with a NaN";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Internal);
        EXPECT_THAT(failure.what(), HasSubstr("step 3"));
        EXPECT_THAT(failure.what(), HasSubstr("block 0"));
    }
}

TEST(Generation, DecodingTheLatentsAgainGivesTheSameFrames) {
    Recorder recorder;
    const GenerationResult whole = generateWith(recorder, testing::smallProject());
    const RunPlan plan = planFor(testing::smallProject());
    DeviceMesh mesh(meshOptions(plan));
    Recorder again;
    const DecodedLatents decoded = decodeOnly({mesh, {}}, plan, whole.latents, again);
    EXPECT_TRUE(std::ranges::equal(decoded.frames.data<std::uint8_t>(), whole.frames.data<std::uint8_t>()));
}

TEST(Generation, RefusesACheckpointOfAnotherProject) {
    GenerationStart start;
    start.resumeFrom = SamplerSnapshot{1, Tensor::zeros({1, 16, 2, 8, 8}), {}};
    Recorder recorder;
    EXPECT_THROW(generateWith(recorder, testing::smallProject(), start), Error);
}

}  // namespace
}  // namespace meshreel
