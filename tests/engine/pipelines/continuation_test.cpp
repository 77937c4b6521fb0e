// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "engine/base/error.h"
#include "engine/media/clip_folder.h"
#include "engine/media/video_writer.h"
#include "engine/pipelines/generation.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/generated.h"
#include "tests/support/random_tensor.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::generateOn;
using testing::rowValues;
using Recorder = testing::GenerationRecorder;

/// Every frame has one level of grey: 10, 20, …
Tensor greyFrames(std::int64_t count) {
    Tensor frames = Tensor::empty({count, 32, 32, 3}, DType::U8);
    const auto values = frames.data<std::uint8_t>();
    const std::size_t size = values.size() / static_cast<std::size_t>(count);
    for (std::size_t place = 0; place < values.size(); ++place)
        values[place] = static_cast<std::uint8_t>(10 * (1 + place / size));
    return frames;
}

class Continuation : public ::testing::Test {
  protected:
    void SetUp() override {
        testing::makeTinyModel(m_folder.path() / "model", testing::tinyModelOf("wan2.1-t2v"));
        m_clip = m_folder.path() / "clip";
        fs::create_directories(m_clip);
        VideoOptions pictures;
        pictures.format = VideoFormat::Png;
        writeVideo(m_clip / "video", greyFrames(9), pictures);
    }

    void writeLatents(const Tensor& latents) const {
        const NamedTensor named{"latents", latents};
        writeSafetensors(m_clip / clip_file::latents, {&named, 1});
    }

    [[nodiscard]] Project project() const {
        Project project = testing::smallProject();
        project.model = (m_folder.path() / "model").string();
        project.numFrames = 9;
        project.continueFrom = m_clip.string();
        project.continueFrames = 5;
        project.guidanceScale = 1;
        project.numInferenceSteps = 3;
        return project;
    }

    [[nodiscard]] VisualInputs inputsOf(const Project& project) const {
        return readVisualInputs(*makePlan(project, {.workers = 1}), {});
    }

    testing::TemporaryFolder m_folder;
    fs::path m_clip;
};

TEST_F(Continuation, TakesTheLastFramesUpToTheOneAskedFor) {
    Project own = project();
    const Tensor last = readClipBefore(*makePlan(own, {.workers = 1}), {});
    ASSERT_EQ(last.extent(0), 5);
    EXPECT_EQ(last.data<std::uint8_t>().front(), 50);
    EXPECT_EQ(last.data<std::uint8_t>().back(), 90);
    own.continueAt = "6";
    const Tensor middle = readClipBefore(*makePlan(own, {.workers = 1}), {});
    EXPECT_EQ(middle.data<std::uint8_t>().front(), 30);
    EXPECT_EQ(middle.data<std::uint8_t>().back(), 70);
    own.continueAt = "3";
    EXPECT_THROW(inputsOf(own), Error) << "there are four frames up to that one";
    own.continueAt = "9";
    EXPECT_THROW(inputsOf(own), Error);
}

TEST_F(Continuation, LatentsAreTakenWhereOneEndsAtTheFrame) {
    const std::int64_t channels = makePlan(project(), {.workers = 1})->latentShape[1];
    const Tensor latents = testing::randomTensor({1, channels, 3, 4, 4}, 5);
    writeLatents(latents);
    const VisualInputs last = inputsOf(project());
    ASSERT_TRUE(last.clipLatents);
    EXPECT_EQ(rowValues(*last.clipLatents), rowValues(sliced(latents, frameAxis, 1, 3)));
    Project own = project();
    own.continueAt = "4";
    EXPECT_EQ(rowValues(*inputsOf(own).clipLatents), rowValues(sliced(latents, frameAxis, 0, 2)));
    own.continueAt = "6";
    EXPECT_FALSE(inputsOf(own).clipLatents) << "in the middle of a latent its frames are encoded";
    writeLatents(testing::randomTensor({1, channels, 3, 8, 4}, 5));
    EXPECT_FALSE(inputsOf(project()).clipLatents) << "of another size";
}

TEST_F(Continuation, KnownLatentsHaveTheNoiseOfEachStepAndStayInTheEnd) {
    const PlanPtr plan = makePlan(project(), {.workers = 1});
    const auto scheduler = plan->makeScheduler();
    VisualConditioning visual;
    visual.begun = testing::randomTensor({1, 2, 1, 2, 2}, 1);
    visual.begunNoise = testing::randomTensor({1, 2, 1, 2, 2}, 2);
    const Tensor latents = testing::randomTensor({1, 2, 3, 2, 2}, 3);
    for (int step = 0; step < scheduler->steps(); ++step) {
        const Tensor seen = withBegun(visual, latents, *scheduler, step);
        const float sigma = scheduler->sigmas()[static_cast<std::size_t>(step)];
        EXPECT_EQ(rowValues(sliced(seen, frameAxis, 1, 3)), rowValues(sliced(latents, frameAxis, 1, 3)));
        const auto known = rowValues(sliced(seen, frameAxis, 0, 1));
        for (std::size_t i = 0; i < known.size(); ++i)
            EXPECT_NEAR(
                known[i],
                (1 - sigma) * visual.begun->data<float>()[i] + sigma * visual.begunNoise->data<float>()[i],
                1e-5F);
    }
    const Tensor finished = finishedLatents(visual, 0, latents);
    EXPECT_EQ(rowValues(sliced(finished, frameAxis, 0, 1)), rowValues(*visual.begun));
}

TEST_F(Continuation, TheClipBeginsWithTheLatentsBeforeAndDependsOnThem) {
    const std::int64_t channels = makePlan(project(), {.workers = 1})->latentShape[1];
    writeLatents(testing::randomTensor({1, channels, 3, 4, 4}, 5));
    Recorder recorder;
    const GenerationResult result = generateOn(project(), 1, recorder);
    const Tensor before = testing::randomTensor({1, channels, 3, 4, 4}, 5);
    EXPECT_EQ(rowValues(sliced(result.latents, frameAxis, 0, 2)), rowValues(sliced(before, frameAxis, 1, 3)));
    ASSERT_TRUE(result.clipSeam);
    EXPECT_GT(result.clipSeam->joint, 0);
    writeLatents(testing::randomTensor({1, channels, 3, 4, 4}, 6));
    Recorder other;
    EXPECT_NE(rowValues(sliced(generateOn(project(), 1, other).latents, frameAxis, 2, 3)),
              rowValues(sliced(result.latents, frameAxis, 2, 3)));
}

TEST_F(Continuation, LatentsOfOtherFramesThanTheVideosAreNotTaken) {
    const std::int64_t channels = makePlan(project(), {.workers = 1})->latentShape[1];
    writeLatents(testing::randomTensor({1, channels, 4, 4, 4}, 5));  // 13 frames, or two segments
    EXPECT_FALSE(inputsOf(project()).clipLatents);
}

TEST_F(Continuation, AVideoAndSubjectsBeginWithTheLatentsBeforeAndDependOnThem) {
    const std::int64_t channels = makePlan(project(), {.workers = 1})->latentShape[1];
    const auto latentsOf = [&](const Project& of, std::uint32_t seed) {
        writeLatents(testing::randomTensor({1, channels, 3, 4, 4}, seed));
        Recorder recorder;
        return generateOn(of, 1, recorder).latents;
    };
    const auto check = [&](const Project& of) {
        SCOPED_TRACE(of.task);
        const Tensor made = latentsOf(of, 5);
        ASSERT_EQ(made.extent(frameAxis), 3);
        EXPECT_EQ(rowValues(sliced(made, frameAxis, 0, 2)),
                  rowValues(sliced(testing::randomTensor({1, channels, 3, 4, 4}, 5), frameAxis, 1, 3)));
        EXPECT_NE(rowValues(sliced(latentsOf(of, 6), frameAxis, 2, 3)),
                  rowValues(sliced(made, frameAxis, 2, 3)));
    };
    Project again = project();
    again.task = "v2v";
    again.video = (m_clip / "video").string();
    again.strength = 0.7;
    check(again);
    testing::makeTinyModel(m_folder.path() / "phantom", testing::tinyModelOf("wan2.1-phantom"));
    Project subjects = project();
    subjects.model = (m_folder.path() / "phantom").string();
    subjects.task = "phantom";
    subjects.referenceImages = (m_clip / "video" / "frame_00001.png").string();
    subjects.guidanceScale = 3;
    check(subjects);
}

TEST_F(Continuation, VelocitiesAreThoseOfTheModelWhereNothingIsBegun) {
    const auto scheduler = makePlan(project(), {.workers = 1})->makeScheduler();
    const Tensor latents = testing::randomTensor({1, 2, 3, 2, 2}, 3);
    const Tensor velocity = testing::randomTensor({1, 2, 3, 2, 2}, 4);
    VisualConditioning visual;
    EXPECT_EQ(rowValues(followingBegun(visual, velocity, latents, *scheduler, 0)), rowValues(velocity));
    visual.begun = testing::randomTensor({1, 2, 1, 2, 2}, 1);
    const Tensor followed = followingBegun(visual, velocity, latents, *scheduler, 0);
    EXPECT_EQ(rowValues(sliced(followed, frameAxis, 0, 1)), rowValues(sliced(velocity, frameAxis, 0, 1)));
    EXPECT_NE(rowValues(sliced(followed, frameAxis, 1, 3)), rowValues(sliced(velocity, frameAxis, 1, 3)));
}

TEST_F(Continuation, GuidedVideosOfABatchAreTheSameOnAnyMesh) {
    Project own = project();
    own.guidanceScale = 3;
    own.batchPrompts = "a red ball\na blue star";
    Recorder one;
    const auto wanted = rowValues(generateOn(own, 1, one).latents);
    for (std::int64_t Project::*const axis :
         {&Project::iciDataParallelism, &Project::iciFsdpParallelism, &Project::iciContextParallelism,
          &Project::iciTensorParallelism}) {
        Project shared = own;
        shared.iciContextParallelism = 1;
        shared.*axis = 2;
        Recorder two;
        const auto values = rowValues(generateOn(shared, 2, two).latents);
        ASSERT_EQ(values.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            ASSERT_NEAR(values[i], wanted[i], 2e-4F) << i;
    }
}

TEST_F(Continuation, TwoDevicesMakeTheSameAndAnyStepGoesOn) {
    Recorder whole;
    const GenerationResult alone = generateOn(project(), 1, whole);
    Recorder two;
    const auto first = rowValues(alone.latents);
    const auto second = rowValues(generateOn(project(), 2, two).latents);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i)
        ASSERT_NEAR(first[i], second[i], 2e-4F) << i;
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        Recorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        EXPECT_EQ(rowValues(generateOn(project(), 1, rest, start).latents), first) << snapshot.stepsDone;
    }
}

}  // namespace
}  // namespace meshreel
