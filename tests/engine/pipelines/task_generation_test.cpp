// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/base/files.h"
#include "engine/checks/project_check.h"
#include "engine/media/image.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/project/input_files.h"
#include "tests/support/generated.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"
#include "tests/support/wav.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

using testing::generateOn;
using Recorder = testing::GenerationRecorder;
using testing::rowValues;

/// A task on a tiny model of a family.
struct TaskCase {
    std::string_view family;
    std::string_view task;
    std::vector<std::pair<std::string Project::*, std::string_view>> inputs;  // a file of the test's folder
    std::string_view windows = {};  // context_schedule of three latent frames seen two at a time
    std::vector<std::pair<double, std::string_view>> keyframes = {};  // frames of nine, and pictures
    std::int64_t continueFrames = 0;  // that nine frames begin with, of the clip before
};

void PrintTo(const TaskCase& value, std::ostream* out) {
    *out << value.task << " by " << value.family;
    if (!value.windows.empty())
        *out << " in " << value.windows << " windows";
    for (const auto& [frame, picture] : value.keyframes)
        *out << " with " << frame;
    if (value.continueFrames > 0)
        *out << " behind " << value.continueFrames;
}

/// A project on a mesh in an attention mode, and what they are.
struct Place {
    Project project;
    std::string text;
};

/// Four places of those that the project may run at on 2 and 4 devices, drawn anew for each case but always
/// the same.
std::vector<Place> drawnPlaces(const Project& project, const TaskCase& of) {
    std::vector<Place> places;
    for (const AttentionMode& mode : attentionModes())
        for (const auto& [data, fsdp, context, tensor] : {std::array<std::int64_t, 4>{2, 1, 1, 1},
                                                          {1, 2, 1, 1},
                                                          {1, 1, 2, 1},
                                                          {1, 1, 1, 2},
                                                          {1, 1, 4, 1},
                                                          {2, 1, 2, 1},
                                                          {1, 2, 2, 1},
                                                          {1, 1, 2, 2}}) {
            Project at = project;
            at.attention = mode.name;
            at.iciDataParallelism = data;
            at.iciFsdpParallelism = fsdp;
            at.iciContextParallelism = context;
            at.iciTensorParallelism = tensor;
            at.devices = data * fsdp * context * tensor;
            at.ulyssesShards = mode.hybrid() ? 2 : -1;
            const std::vector<Problem> problems = problemsOnInstalledModel(at);
            if (mode.runs() && std::ranges::none_of(problems, [](const Problem& problem) {
                    return problem.severity == Severity::Error;
                }))
                places.push_back(
                    {at, fmt::format("{} on {} x {} x {} x {}", mode.name, data, fsdp, context, tensor)});
        }
    std::mt19937 generator(
        static_cast<std::uint32_t>(std::hash<std::string_view>{}(of.family) + of.task.size()));
    std::ranges::shuffle(places, generator);
    constexpr std::size_t drawn = 4;
    EXPECT_GT(places.size(), 4 * drawn);
    places.resize(std::min(places.size(), drawn));
    return places;
}

class TaskGeneration : public ::testing::TestWithParam<TaskCase> {
  protected:
    void SetUp() override {
        testing::makeTinyModel(m_folder.path() / "model", testing::tinyModelOf(GetParam().family));
        writePicture("first.png", 41, 58, 1);
        writePicture("last.png", 30, 20, 2);
        writePicture("mask.png", 32, 32, 3);
        writeTracks(21);
        writeVoice(440);
        fs::create_directories(m_folder.path() / "clip");
        for (int frame = 0; frame < 9; ++frame)
            writePicture("clip/frame_0000" + std::to_string(frame + 1) + ".png", 36, 40, 10 + frame);
        fs::create_directories(m_folder.path() / "before");
        for (int frame = 0; frame < 5; ++frame)
            writePicture("before/frame_0000" + std::to_string(frame + 1) + ".png", 34, 30, 20 + frame);
    }

    /// Two points that stay where latents lie, from the second of 121 places on; one in the upper half.
    void writeTracks(double row) {
        std::string upper = R"({"x": 28, "y": 28})";
        std::string lower = R"({"x": 5, "y": 5})";
        for (std::size_t sample = 1; sample < trackSamples; ++sample) {
            upper += R"(, {"x": 21, "y": 11})";
            lower += fmt::format(R"(, {{"x": 11, "y": {}}})", row);
        }
        writeFileAtomically(m_folder.path() / "tracks.json", fmt::format("[[{}], [{}]]", upper, lower));
    }

    /// A second of a tone.
    void writeVoice(double hertz) {
        constexpr int rate = 16'000;
        testing::writeWav(m_folder.path() / "voice.wav", rate, 1, rate, [hertz](int sample, int) {
            return 0.5 * std::sin(2 * std::numbers::pi * hertz * sample / rate);
        });
    }

    void writePicture(const std::string& name, std::int64_t height, std::int64_t width, int seed) {
        Tensor picture = Tensor::empty({height, width, 3}, DType::U8);
        const Tensor noise = testing::randomTensor({height, width, 3}, static_cast<std::uint32_t>(seed));
        std::ranges::transform(noise.data<float>(), picture.data<std::uint8_t>().begin(), [](float value) {
            return static_cast<std::uint8_t>(std::clamp(128.0F + 50.0F * value, 0.0F, 255.0F));
        });
        writePng(m_folder.path() / name, picture);
    }

    [[nodiscard]] Project project() const {
        Project project = testing::smallProject();
        project.model = (m_folder.path() / "model").string();
        project.task = GetParam().task;
        for (const auto& [member, file] : GetParam().inputs)
            project.*member = (m_folder.path() / file).string();
        for (const auto& [frame, file] : GetParam().keyframes) {
            project.keyframes.push_back(
                {.place = {.value = frame}, .image = (m_folder.path() / file).string()});
            project.numFrames = 9;
        }
        if (GetParam().family.starts_with("wan2.2-animate") && GetParam().windows.empty()) {  // two segments
            project.numFrames = 9;
            project.segmentFrameLength = 5;
            project.prevSegmentConditioningFrames = 1;
            project.numInferenceSteps = 2;
        }
        if (GetParam().family == "wan2.2-s2v") {  // of two clips
            project.numFrames = 81;
            project.lengthBySpeech = false;
            project.numInferenceSteps = 2;
        }
        if (!GetParam().windows.empty()) {
            project.numFrames = 9;
            project.numInferenceSteps = 3;
            project.contextFrames = 5;
            project.contextOverlap = 4;
            project.contextSchedule = GetParam().windows;
            project.contextRetainFirst = GetParam().task == "i2v" || GetParam().task == "wanmove";
        }
        if (GetParam().continueFrames > 0) {
            project.numFrames = 9;
            project.continueFrom = (m_folder.path() / "before").string();
            project.continueFrames = GetParam().continueFrames;
        }
        return project;
    }

    testing::TemporaryFolder m_folder;
};

TEST_P(TaskGeneration, MakesAVideoThatItsInputsDecide) {
    Recorder recorder;
    const GenerationResult result = generateOn(project(), 1, recorder);
    EXPECT_EQ(result.frames.shape(), (Shape{1, project().numFrames, 32, 32, 3}));
    if (GetParam().inputs.empty() && GetParam().keyframes.empty())
        return;
    if (GetParam().continueFrames > 0)
        writePicture("before/frame_00005.png", 34, 30, 99);
    else if (!GetParam().inputs.empty() && std::string(GetParam().inputs.front().second) == "clip")
        writePicture("clip/frame_00001.png", 36, 40, 99);
    else
        writePicture("first.png", 41, 58, 99);
    Recorder other;
    EXPECT_NE(rowValues(generateOn(project(), 1, other).latents), rowValues(result.latents));
}

TEST_P(TaskGeneration, TwoDevicesMakeTheSame) {
    Recorder one;
    Recorder two;
    const GenerationResult alone = generateOn(project(), 1, one);
    const GenerationResult shared = generateOn(project(), 2, two);
    const auto first = rowValues(alone.latents);
    const auto second = rowValues(shared.latents);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i)
        ASSERT_NEAR(first[i], second[i], 2e-4F) << i;
}

/// Blocks beside the video's (VACE's, face adapters) get the same shards and modes as those.
TEST_P(TaskGeneration, AnyMeshAndModeMakesTheSame) {
    Recorder recorder;
    const auto expected = rowValues(generateOn(project(), 1, recorder).latents);
    for (const auto& [onMesh, text] : drawnPlaces(project(), GetParam())) {
        SCOPED_TRACE(text);
        Recorder other;
        const auto found = rowValues(generateOn(onMesh, static_cast<int>(onMesh.devices), other).latents);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[i], 1e-3F) << i;
    }
}

TEST_P(TaskGeneration, ContinuesFromAnyStepWithTheSameBits) {
    Recorder whole;
    const GenerationResult straight = generateOn(project(), 1, whole);
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        Recorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        EXPECT_EQ(rowValues(generateOn(project(), 1, rest, start).latents), rowValues(straight.latents))
            << "after step " << snapshot.stepsDone;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Families, TaskGeneration,
    ::testing::Values(
        TaskCase{"wan2.1-t2v", "v2v", {{&Project::video, "clip"}}},
        TaskCase{"wan2.1-phantom", "phantom", {{&Project::referenceImages, "first.png"}}},
        TaskCase{"wan2.1-bernini", "bernini", {{&Project::video, "clip"}}},
        TaskCase{"wan2.1-bernini", "bernini", {{&Project::referenceImages, "first.png"}}, "uniform"},
        TaskCase{"wan2.2-bernini",
                 "bernini",
                 {{&Project::video, "clip"}, {&Project::referenceImages, "first.png"}}},
        TaskCase{"wan2.1-vace",
                 "vace",
                 {{&Project::video, "clip"},
                  {&Project::mask, "mask.png"},
                  {&Project::referenceImages, "last.png"}}},
        TaskCase{"wan2.2-vace-a14b", "vace", {{&Project::video, "clip"}, {&Project::mask, "mask.png"}}},
        TaskCase{"wan2.1-i2v", "i2v", {{&Project::image, "first.png"}}},
        TaskCase{"wan2.1-ati", "ati", {{&Project::image, "first.png"}, {&Project::tracks, "tracks.json"}}},
        TaskCase{
            "wan2.1-move", "wanmove", {{&Project::image, "first.png"}, {&Project::tracks, "tracks.json"}}},
        TaskCase{"wan2.1-move",
                 "wanmove",
                 {{&Project::image, "first.png"}, {&Project::tracks, "tracks.json"}},
                 "static"},
        TaskCase{
            "wan2.1-flf2v", "flf2v", {{&Project::image, "first.png"}, {&Project::lastImage, "last.png"}}},
        TaskCase{
            "wan2.2-animate",
            "animate",
            {{&Project::image, "first.png"}, {&Project::poseVideo, "clip"}, {&Project::faceVideo, "clip"}}},
        TaskCase{
            "wan2.2-animate",
            "animate",
            {{&Project::image, "first.png"}, {&Project::poseVideo, "clip"}, {&Project::faceVideo, "clip"}},
            "uniform"},
        TaskCase{"wan2.2-animate",
                 "replace",
                 {{&Project::image, "first.png"},
                  {&Project::poseVideo, "clip"},
                  {&Project::faceVideo, "clip"},
                  {&Project::backgroundVideo, "clip"},
                  {&Project::mask, "mask.png"}}},
        TaskCase{"wan2.1-fun-control", "funcontrol", {{&Project::video, "clip"}}, "static"},
        TaskCase{"wan2.1-fun-control",
                 "funcontrol",
                 {{&Project::video, "clip"},
                  {&Project::image, "first.png"},
                  {&Project::referenceImages, "last.png"}}},
        TaskCase{"wan2.2-fun-control-a14b",
                 "funcontrol",
                 {{&Project::video, "clip"},
                  {&Project::image, "first.png"},
                  {&Project::referenceImages, "last.png"}}},
        TaskCase{"wan2.2-fun-control-5b",
                 "funcontrol",
                 {{&Project::video, "clip"},
                  {&Project::image, "first.png"},
                  {&Project::referenceImages, "last.png"}}},
        TaskCase{"wan2.2-fun-control-a14b", "funcontrol", {{&Project::video, "clip"}}, "uniform"},
        TaskCase{"wan2.2-animate2", "animate2", {{&Project::image, "first.png"}, {&Project::video, "clip"}}},
        TaskCase{"wan2.2-animate2-distilled",
                 "animate2",
                 {{&Project::video, "clip"}, {&Project::image, "first.png"}}},
        TaskCase{"wan2.2-animate2",
                 "animate2",
                 {{&Project::image, "first.png"}, {&Project::video, "clip"}},
                 {},
                 {},
                 1},
        TaskCase{
            "wan2.2-s2v",
            "s2v",
            {{&Project::poseVideo, "clip"}, {&Project::image, "first.png"}, {&Project::speech, "voice.wav"}}},
        TaskCase{"wan2.1-t2v", "v2v", {{&Project::video, "clip"}}, "static"},
        TaskCase{"wan2.1-phantom", "phantom", {{&Project::referenceImages, "first.png"}}, "uniform"},
        TaskCase{"wan2.1-vace",
                 "vace",
                 {{&Project::video, "clip"},
                  {&Project::mask, "mask.png"},
                  {&Project::referenceImages, "last.png"}},
                 "looped"},
        TaskCase{"wan2.1-i2v", "i2v", {{&Project::image, "first.png"}}, "static"},
        TaskCase{"wan2.2-t2v-a14b", "t2v", {}, "uniform"}, TaskCase{"wan2.2-t2v-a14b", "t2v", {}},
        TaskCase{"wan2.2-i2v-a14b", "i2v", {{&Project::image, "first.png"}}},
        TaskCase{
            "wan2.2-i2v-a14b", "flf2v", {{&Project::image, "first.png"}, {&Project::lastImage, "last.png"}}},
        TaskCase{"wan2.2-i2v-one", "i2v", {{&Project::image, "first.png"}}},
        TaskCase{"wan2.1-i2v", "keyframes", {{&Project::image, "first.png"}}, {}, {{8, "last.png"}}},
        TaskCase{"wan2.1-flf2v", "keyframes", {}, {}, {{4, "first.png"}, {8, "last.png"}}},
        TaskCase{"wan2.2-i2v-a14b",
                 "keyframes",
                 {{&Project::image, "first.png"}},
                 {},
                 {{3, "mask.png"}, {8, "last.png"}}},
        TaskCase{"wan2.2-i2v-one", "keyframes", {}, {}, {{4, "first.png"}}},
        TaskCase{"wan2.2-ti2v", "keyframes", {{&Project::lastImage, "last.png"}}, {}, {{2, "first.png"}}},
        TaskCase{"wan2.1-vace", "vace", {}, {}, {{0, "first.png"}, {6, "last.png"}}},
        TaskCase{"wan2.2-vace-a14b", "vace", {{&Project::video, "clip"}}, {}, {{8, "first.png"}}},
        TaskCase{"wan2.2-ti2v", "t2v", {}}, TaskCase{"wan2.2-ti2v", "i2v", {{&Project::image, "first.png"}}},
        TaskCase{
            "wan2.2-ti2v", "flf2v", {{&Project::image, "first.png"}, {&Project::lastImage, "last.png"}}}),
    testing::PrintedName());

INSTANTIATE_TEST_SUITE_P(
    Continued, TaskGeneration,
    ::testing::Values(
        TaskCase{"wan2.1-t2v", "v2v", {{&Project::video, "clip"}}, {}, {}, 5},
        TaskCase{"wan2.1-t2v", "v2v", {{&Project::video, "clip"}}, "uniform", {}, 1},
        TaskCase{"wan2.1-phantom", "phantom", {{&Project::referenceImages, "first.png"}}, {}, {}, 5},
        TaskCase{"wan2.1-phantom", "phantom", {{&Project::referenceImages, "first.png"}}, "static", {}, 1},
        TaskCase{"wan2.1-bernini",
                 "bernini",
                 {{&Project::video, "clip"}, {&Project::referenceImages, "first.png"}},
                 {},
                 {},
                 5},
        TaskCase{"wan2.1-ati", "ati", {{&Project::tracks, "tracks.json"}}, {}, {}, 1},
        TaskCase{"wan2.1-ati", "ati", {{&Project::tracks, "tracks.json"}}, {}, {}, 5},
        TaskCase{"wan2.1-move", "wanmove", {{&Project::tracks, "tracks.json"}}, {}, {}, 1},
        TaskCase{"wan2.1-move", "wanmove", {{&Project::tracks, "tracks.json"}}, {}, {}, 5},
        TaskCase{"wan2.1-fun-control", "funcontrol", {{&Project::video, "clip"}}, {}, {}, 5},
        TaskCase{"wan2.2-fun-control-a14b", "funcontrol", {{&Project::video, "clip"}}, {}, {}, 1},
        TaskCase{
            "wan2.2-animate",
            "animate",
            {{&Project::image, "first.png"}, {&Project::poseVideo, "clip"}, {&Project::faceVideo, "clip"}},
            {},
            {},
            1},
        TaskCase{
            "wan2.2-animate",
            "animate",
            {{&Project::image, "first.png"}, {&Project::poseVideo, "clip"}, {&Project::faceVideo, "clip"}},
            "static",
            {},
            5},
        TaskCase{"wan2.2-animate",
                 "replace",
                 {{&Project::image, "first.png"},
                  {&Project::poseVideo, "clip"},
                  {&Project::faceVideo, "clip"},
                  {&Project::backgroundVideo, "clip"},
                  {&Project::mask, "mask.png"}},
                 {},
                 {},
                 1},
        TaskCase{"wan2.1-i2v", "keyframes", {}, {}, {{8, "last.png"}}, 1},
        TaskCase{"wan2.1-flf2v", "keyframes", {}, {}, {{8, "last.png"}}, 5},
        TaskCase{"wan2.2-i2v-a14b", "keyframes", {}, {}, {{4, "mask.png"}, {8, "last.png"}}, 1},
        TaskCase{"wan2.2-ti2v", "keyframes", {}, {}, {{7, "last.png"}}, 5}),
    testing::PrintedName());

/// Of several subjects, with guidance in two parts.
class Subjects : public TaskGeneration {
  protected:
    [[nodiscard]] Project twoSubjects() const {
        Project two = project();
        two.referenceImages =
            fmt::format("{}, {}", two.referenceImages, (m_folder.path() / "last.png").string());
        return two;
    }
};

TEST_P(Subjects, ThreeDevicesTakeAPassEach) {
    Project three = twoSubjects();
    Recorder one;
    const auto expected = rowValues(generateOn(three, 1, one).latents);
    for (const bool data : {true, false}) {
        (data ? three.iciDataParallelism : three.iciFsdpParallelism) = 3;
        Recorder other;
        const auto found = rowValues(generateOn(three, 3, other).latents);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[i], 1e-3F) << i;
        (data ? three.iciDataParallelism : three.iciFsdpParallelism) = 1;
    }
}

TEST_P(Subjects, EveryScaleAndPictureCounts) {
    Recorder recorder;
    const auto latentsOf = [&](const Project& of) { return rowValues(generateOn(of, 1, recorder).latents); };
    const auto both = latentsOf(twoSubjects());
    EXPECT_NE(latentsOf(project()), both);
    Project weaker = twoSubjects();
    weaker.guidanceScaleImage = 2;
    EXPECT_NE(latentsOf(weaker), both);
    Project without = twoSubjects();
    without.guidanceScaleImage = 1;
    EXPECT_NE(latentsOf(without), both);
    without.guidanceScaleImage = 0.5;  // off as well
    Project off = without;
    off.guidanceScaleImage = 1;
    EXPECT_EQ(latentsOf(without), latentsOf(off));
    Project plain = project();
    plain.referenceImages.clear();
    plain.task = "auto";
    EXPECT_EQ(makePlan(plain)->task, WanTask::TextToVideo);
    EXPECT_NE(latentsOf(plain), both);
}

INSTANTIATE_TEST_SUITE_P(Families, Subjects,
                         ::testing::Values(TaskCase{
                             "wan2.1-phantom", "phantom", {{&Project::referenceImages, "first.png"}}}),
                         testing::PrintedName());

/// Pictures whose places other keys name, too.
class Keyframes : public TaskGeneration {};

TEST_P(Keyframes, AtTheEndsAreTheFirstAndTheLastImageToTheBit) {
    Recorder recorder;
    const auto latentsOf = [&](const Project& of) { return rowValues(generateOn(of, 1, recorder).latents); };
    Project both = project();
    both.numFrames = 9;
    Project keyed = both;
    keyed.task = "auto";
    keyed.image.clear();
    keyed.lastImage.clear();
    keyed.keyframes = {{.place = {.unit = PlaceUnit::Percent, .value = 100}, .image = both.lastImage},
                       {.place = {}, .image = both.image}};
    EXPECT_EQ(makePlan(keyed)->task, WanTask::KeyframesToVideo);
    const auto expected = latentsOf(both);
    EXPECT_EQ(latentsOf(keyed), expected);

    Project between = keyed;
    between.keyframes.push_back({.place = {.value = 4}, .image = (m_folder.path() / "mask.png").string()});
    EXPECT_NE(latentsOf(between), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Families, Keyframes,
    ::testing::Values(
        TaskCase{
            "wan2.1-flf2v", "flf2v", {{&Project::image, "first.png"}, {&Project::lastImage, "last.png"}}},
        TaskCase{
            "wan2.2-i2v-a14b", "flf2v", {{&Project::image, "first.png"}, {&Project::lastImage, "last.png"}}},
        TaskCase{
            "wan2.2-ti2v", "flf2v", {{&Project::image, "first.png"}, {&Project::lastImage, "last.png"}}}),
    testing::PrintedName());

class Tracks : public TaskGeneration {};

TEST_P(Tracks, MoveWhatThePictureShows) {
    Recorder recorder;
    const auto moved = rowValues(generateOn(project(), 1, recorder).latents);
    Project still = project();
    still.tracks.clear();
    still.task = "auto";
    EXPECT_EQ(makePlan(still)->task, WanTask::ImageToVideo);
    EXPECT_NE(rowValues(generateOn(still, 1, recorder).latents), moved);
    writeTracks(31);
    EXPECT_NE(rowValues(generateOn(project(), 1, recorder).latents), moved);
}

INSTANTIATE_TEST_SUITE_P(
    Families, Tracks,
    ::testing::Values(
        TaskCase{"wan2.1-ati", "ati", {{&Project::image, "first.png"}, {&Project::tracks, "tracks.json"}}},
        TaskCase{
            "wan2.1-move", "wanmove", {{&Project::image, "first.png"}, {&Project::tracks, "tracks.json"}}}),
    testing::PrintedName());

class Speech : public TaskGeneration {};

TEST_P(Speech, WhatIsHeardAndItsStrengthDecideTheVideo) {
    Recorder recorder;
    const auto latentsOf = [&](const Project& of) { return rowValues(generateOn(of, 1, recorder).latents); };
    const auto heard = latentsOf(project());
    Project louder = project();
    louder.audioScale = 2;
    EXPECT_NE(latentsOf(louder), heard);
    Project deaf = project();
    deaf.audioScale = 0;
    const auto unheard = latentsOf(deaf);
    writeVoice(880);
    EXPECT_NE(latentsOf(project()), heard);
    EXPECT_EQ(latentsOf(deaf), unheard);
}

TEST_P(Speech, LastsAsLongAsTheSoundUnlessTold) {
    Project project = this->project();
    EXPECT_EQ(makePlan(project)->segments.count, 2);
    project.lengthBySpeech = true;
    const PlanPtr plan = makePlan(project);
    EXPECT_EQ(plan->project.numFrames, 17);  // of a second at 16 frames a second, as a legal length
    EXPECT_EQ(plan->segments.count, 1);
    Recorder recorder;
    EXPECT_EQ(generateOn(project, 1, recorder).frames.shape(), (Shape{1, 17, 32, 32, 3}));
}

INSTANTIATE_TEST_SUITE_P(
    Families, Speech,
    ::testing::Values(TaskCase{
        "wan2.2-s2v", "s2v", {{&Project::image, "first.png"}, {&Project::speech, "voice.wav"}}}),
    testing::PrintedName());

/// Two experts with memory for both, and for one.
class TwoExperts : public TaskGeneration {};

TEST_P(TwoExperts, TheSwitchIsToldAndChangesNoBits) {
    Recorder both;
    const GenerationResult resident = generateOn(project(), 1, both);
    EXPECT_TRUE(resident.expertSwitches.empty());
    std::vector<int> experts;
    for (const StepRecord& step : resident.steps)
        experts.push_back(step.expert);
    ASSERT_THAT(experts, ::testing::ElementsAre(1, 1, 2, 2));

    PlanOptions options;
    options.workers = 1;
    const PlanPtr together = makePlan(project(), options);
    ASSERT_TRUE(together->placement.keepsBothExperts());
    const PlanPtr plan = withPlacement(
        *together, placedAs(*together, together->placement.with(transformerParts, [](PartPlan& part) {
            part.takesTurns = true;
        })));
    DeviceMesh mesh(meshOptions(*plan));
    Recorder one;
    const GenerationResult switched = generate({mesh, {}}, *plan, {}, std::ref(one));
    ASSERT_EQ(switched.expertSwitches.size(), 1U);
    EXPECT_EQ(switched.expertSwitches.front().step, 2);
    EXPECT_EQ(switched.expertSwitches.front().expert, 2);
    EXPECT_THAT(one.messages, ::testing::Contains(::testing::HasSubstr("transformer_2")));
    EXPECT_EQ(rowValues(switched.latents), rowValues(resident.latents));
}

INSTANTIATE_TEST_SUITE_P(Families, TwoExperts, ::testing::Values(TaskCase{"wan2.2-t2v-a14b", "t2v", {}}),
                         testing::PrintedName());

}  // namespace
}  // namespace meshreel
