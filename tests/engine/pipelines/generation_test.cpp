// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/pipelines/generation_phases.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/timing/trace.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Notes every event by name, keeps every snapshot, and can spoil or stop the run.
class StepRecorder {
  public:
    void operator()(const RunEvent& event) {
        handle(
            event, [this](const PhaseStarted& started) { note("+" + nameOf(started.phase)); },
            [this](const PhaseFinished& finished) {
                note("-" + nameOf(finished.phase));
                EXPECT_GE(finished.seconds, 0);
            },
            [this](const FoundInCache& found) { note("=" + nameOf(found.phase)); },
            [this](const Progress& progress) { check(progress); },
            [this](const RunCheckpoint& checkpoint) { keep(checkpoint); },
            [this](const StepRecord& step) {
                note("step " + std::to_string(step.step));
                if (step.step == stopAfter)
                    stop.request_stop();
            },
            [this](const Preview& preview) {
                EXPECT_EQ(preview.frames.dtype(), DType::U8);
                EXPECT_EQ(preview.frames.extent(3), 3);
                note("preview " + std::to_string(preview.step));
            },
            [this](const DecodedFrames& frames) { keep(frames); },
            [this](const LatentsReady&) { note("latents"); }, [this](const FramesReady&) { note("frames"); });
    }

    std::vector<std::string> events;
    std::vector<SamplerSnapshot> snapshots;
    std::vector<std::uint8_t> decodedBytes;
    double fraction = 0;
    double decoded = 0;
    Previews previews = Previews::No;
    int stopAfter = -1;
    StopSource stop;

  private:
    static std::string nameOf(Phase phase) { return std::string(enumName(phase)); }
    void note(std::string event) { events.push_back(std::move(event)); }

    void check(const Progress& progress) {
        EXPECT_GE(progress.decoded, decoded);
        decoded = progress.decoded;
        EXPECT_GE(progress.fraction, fraction);
        fraction = progress.fraction;
    }

    void keep(const RunCheckpoint& checkpoint) {
        const SamplerSnapshot& snapshot = checkpoint.snapshot;
        EXPECT_EQ(snapshot.stepsDone, checkpoint.lastStep.step + 1);
        SamplerSnapshot copy{snapshot.stepsDone, snapshot.latents.clone(), {}};
        for (const auto& [name, tensor] : snapshot.history)
            copy.history.emplace_back(name, tensor.clone());
        snapshots.push_back(std::move(copy));
    }

    void keep(const DecodedFrames& frames) {
        note("frames " + std::to_string(frames.first) + "+" + std::to_string(frames.frames.extent(0)) +
             " of " + std::to_string(frames.total));
        const auto bytes = frames.frames.data<std::uint8_t>();
        decodedBytes.insert(decodedBytes.end(), bytes.begin(), bytes.end());
    }
};

PlanPtr planFor(const Project& project) {
    PlanOptions options;
    options.workers = 2;
    return makePlan(project, options);
}

GenerationResult generateWith(StepRecorder& recorder, const Project& project, GenerationStart start = {}) {
    const PlanPtr plan = planFor(project);
    DeviceMesh mesh(meshOptions(*plan));
    start.previews = recorder.previews;
    return generate({mesh, recorder.stop.get_token()}, *plan, start, std::ref(recorder));
}

std::vector<float> generationValues(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

TEST(Generation, TellsItsEventsInOrder) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 2;
    StepRecorder recorder;
    recorder.previews = Previews::Yes;
    const GenerationResult result = generateWith(recorder, project);
    EXPECT_THAT(recorder.events,
                ElementsAre("+Load", "-Load", "+Compile", "-Compile", "+Conditioning", "-Conditioning",
                            "+Denoise", "step 0", "preview 0", "step 1", "preview 1", "-Denoise", "latents",
                            "+Decode", "frames 0+1 of 5", "frames 1+4 of 5", "-Decode", "frames"));
    EXPECT_EQ(result.frames.shape(), (Shape{1, 5, 32, 32, 3}));
    EXPECT_EQ(result.latents.shape(), (Shape{1, 16, 2, 4, 4}));
    EXPECT_EQ(recorder.fraction, 1);
    EXPECT_EQ(recorder.decoded, 1);
    EXPECT_TRUE(std::ranges::equal(recorder.decodedBytes, result.frames.data<std::uint8_t>()));
}

std::vector<std::string> decodedEvents(const StepRecorder& recorder) {
    std::vector<std::string> found;
    std::ranges::copy_if(recorder.events, std::back_inserter(found),
                         [](const std::string& event) { return event.starts_with("frames "); });
    return found;
}

TEST(Generation, FramesAppearChunkByChunkAndAreThoseOfTheVideo) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 1;
    project.numFrames = 13;
    const std::vector<std::vector<std::string>> expected{
        {"frames 0+1 of 13", "frames 1+4 of 13", "frames 5+4 of 13", "frames 9+4 of 13"},
        {"frames 0+1 of 13", "frames 1+8 of 13", "frames 9+4 of 13"},
        {"frames 0+1 of 13", "frames 1+12 of 13"}};
    std::optional<Tensor> first;
    for (const auto& [chunk, events] : {std::pair{1, 0U}, {2, 1U}, {-1, 2U}}) {
        project.vaeDecodeChunk = chunk;
        StepRecorder recorder;
        recorder.previews = Previews::Yes;
        const Tensor frames = generateWith(recorder, project).frames;
        EXPECT_EQ(decodedEvents(recorder), expected[events]) << chunk;
        EXPECT_TRUE(std::ranges::equal(recorder.decodedBytes, frames.data<std::uint8_t>())) << chunk;
        if (!first)
            first = frames;
        EXPECT_TRUE(std::ranges::equal(frames.data<std::uint8_t>(), first->data<std::uint8_t>())) << chunk;
    }
}

TEST(Generation, OfABatchTheFirstVideoAppearsAndNothingWithoutPreviews) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 1;
    project.batchSeeds = "7, 8";
    StepRecorder recorder;
    recorder.previews = Previews::Yes;
    const Tensor frames = generateWith(recorder, project).frames;
    ASSERT_EQ(frames.extent(0), 2);
    EXPECT_TRUE(std::ranges::equal(recorder.decodedBytes, frames.slice(0, 1).data<std::uint8_t>()));
    StepRecorder blind;
    generateWith(blind, project);
    EXPECT_THAT(blind.decodedBytes, ::testing::IsEmpty());
}

TEST(Generation, OfSegmentsEachFrameAppearsOnce) {
    const PlanPtr whole = planFor(testing::smallProject());
    RunTask task = *whole;
    task.project.numFrames = 20;
    task.segments = {.count = 3, .frames = 9, .overlap = 3};  // 21 frames
    const PlanPtr plan = withPlacement(task, placedAs(task, whole->placement));
    std::vector<std::pair<std::int64_t, std::int64_t>> shown;
    for (int segment = 0; segment < 3; ++segment)
        for (const auto& [first, count] : {std::pair{0, 1}, {1, 4}, {5, 4}})
            if (const auto frames =
                    ownFrames(*plan, segment, first, Tensor::zeros({count, 2, 2, 3}, DType::U8)))
                shown.emplace_back(frames->first, frames->frames.extent(0));
    EXPECT_THAT(shown, ElementsAre(std::pair(0, 1), std::pair(1, 4), std::pair(5, 4), std::pair(9, 2),
                                   std::pair(11, 4), std::pair(15, 2), std::pair(17, 3)));
}

TEST(Generation, TimingsAddUp) {
    StepRecorder recorder;
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
    StepRecorder first;
    StepRecorder second;
    StepRecorder third;
    const auto latents = generationValues(generateWith(first, project).latents);
    EXPECT_EQ(latents, generationValues(generateWith(second, project).latents));
    project.seed = *project.seed + 1;
    EXPECT_NE(latents, generationValues(generateWith(third, project).latents));
}

TEST(Generation, ContinuesFromAnyStepWithTheSameBits) {
    StepRecorder whole;
    const GenerationResult straight = generateWith(whole, testing::smallProject());
    ASSERT_EQ(whole.snapshots.size(), 4U);
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        StepRecorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        const GenerationResult resumed = generateWith(rest, testing::smallProject(), start);
        EXPECT_EQ(resumed.steps.size(), static_cast<std::size_t>(4 - snapshot.stepsDone));
        EXPECT_EQ(generationValues(resumed.latents), generationValues(straight.latents))
            << "after step " << snapshot.stepsDone;
        EXPECT_TRUE(
            std::ranges::equal(resumed.frames.data<std::uint8_t>(), straight.frames.data<std::uint8_t>()));
    }
}

TEST(Generation, GuidanceOfOneLeavesTheNegativePromptOut) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 1;
    project.guidanceScale = 1;
    StepRecorder first;
    StepRecorder second;
    const auto latents = generationValues(generateWith(first, project).latents);
    project.negativePrompt = "blue";
    EXPECT_EQ(latents, generationValues(generateWith(second, project).latents));
    project.guidanceScale = 3;
    StepRecorder third;
    EXPECT_NE(latents, generationValues(generateWith(third, project).latents));
}

TEST(Generation, AStopEndsItWithinTheStep) {
    StepRecorder recorder;
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
    StepRecorder whole;
    generateWith(whole, testing::smallProject());
    GenerationStart start;
    start.resumeFrom = whole.snapshots[1];
    start.resumeFrom->latents.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
    StepRecorder recorder;
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
    StepRecorder recorder;
    const GenerationResult whole = generateWith(recorder, testing::smallProject());
    const PlanPtr plan = planFor(testing::smallProject());
    DeviceMesh mesh(meshOptions(*plan));
    const DecodedLatents decoded = decodeOnly({mesh, {}}, *plan, whole.latents, Previews::No, ignoreEvent);
    EXPECT_TRUE(std::ranges::equal(decoded.frames.data<std::uint8_t>(), whole.frames.data<std::uint8_t>()));
}

TEST(Generation, RefusesACheckpointOfAnotherProject) {
    GenerationStart start;
    start.resumeFrom = SamplerSnapshot{1, Tensor::zeros({1, 16, 2, 8, 8}), {}};
    StepRecorder recorder;
    EXPECT_THROW(generateWith(recorder, testing::smallProject(), start), Error);
}

}  // namespace
}  // namespace meshreel
