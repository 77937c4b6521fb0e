// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts whose parts hold for some of the time, and those that context windows share out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/device_mesh.h"
#include "engine/pipelines/denoise.h"
#include "engine/planning/plan_json.h"
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

constexpr float hidden = -1e5F;  // a bias that leaves nothing of a token

/// One block, so that what a frame becomes depends on the text that this frame hears alone.
class TimedText : public ::testing::TestWithParam<DType> {
  protected:
    static WanTransformerConfig oneBlock() {
        return {.heads = 2,
                .headDim = 16,
                .inChannels = 4,
                .outChannels = 4,
                .textDim = 12,
                .freqDim = 16,
                .ffnDim = 24,
                .layers = 1};
    }

    TimedText()
        : m_random(oneBlock(), 5),
          m_transformer(oneBlock(), m_random.checkpoint(), planAttentions({}, oneBlock()), {},
                        {.weights = Arithmetic::F32, .activations = GetParam()}),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {}

    [[nodiscard]] Tensor predicted(const Tensor& text, const std::vector<TimedKeys>& timed = {},
                                   const std::vector<std::int64_t>& frames = {}) {
        const WanInputs inputs{.latents = m_latents,
                               .timesteps = Tensor::from({1}, std::vector<float>{400.0F}),
                               .frames = frames};
        return m_transformer.forward(m_lone.device(), inputs, {.text = text, .timed = timed});
    }

    /// The text without tokens [begin, end).
    [[nodiscard]] Tensor without(std::int64_t begin, std::int64_t end) const {
        return joined({sliced(m_text, 1, 0, begin), sliced(m_text, 1, end, m_text.extent(1))}, 1);
    }

    static void expectFrame(const Tensor& found, const Tensor& expected, std::int64_t frame) {
        constexpr std::size_t frameAxis = 2;
        const auto one = rowValues(sliced(found, frameAxis, frame, frame + 1));
        const auto other = rowValues(sliced(expected, frameAxis, frame, frame + 1));
        const float allowed = GetParam() == DType::BF16 ? 3e-2F : 2e-5F;
        for (std::size_t i = 0; i < one.size(); ++i)
            ASSERT_NEAR(one[i], other[i], allowed) << "frame " << frame;
    }

    testing::RandomWan m_random;
    WanTransformer m_transformer;
    WorkerPool m_pool;
    LoneDevice m_lone;
    Tensor m_latents = randomTensor({1, 4, 3, 4, 6}, 7);
    Tensor m_text = joined({randomTensor({1, 7, 12}, 1), Tensor::zeros({1, 9, 12})}, 1);  // with padding
};

TEST_P(TimedText, IsHeardInTheFramesOfItsTimeAlone) {
    const Tensor timed = predicted(m_text, {{{0, 3}, {0, hidden, 0}}, {{3, 5}, {hidden, 0, 0}}});
    expectFrame(timed, predicted(without(3, 5)), 0);
    expectFrame(timed, predicted(without(0, 3)), 1);
    expectFrame(timed, predicted(m_text), 2);
}

TEST_P(TimedText, OfAWindowHasTheTimesOfItsFrames) {
    const std::vector<TimedKeys> timed{{{0, 3}, {hidden, 0, 0, hidden, 0}}};
    const Tensor window = predicted(m_text, timed, {3, 4, 0});
    expectFrame(window, predicted(without(0, 3)), 0);
    expectFrame(window, predicted(m_text), 1);
    expectFrame(window, predicted(without(0, 3)), 2);
    EXPECT_THROW(predicted(m_text, timed, {3, 4, 5}), Error);
    EXPECT_THROW(predicted(m_text, timed, {3, 4}), Error);
    EXPECT_THROW(predicted(m_text, {{{0, 3}, {0, 0}}}), Error);
}

INSTANTIATE_TEST_SUITE_P(Activations, TimedText, ::testing::Values(DType::F32, DType::BF16),
                         [](const auto& type) { return type.param == DType::F32 ? "F32" : "BF16"; });

/// A clip of seven frames, seen through windows of three, with two texts.
TEST(WindowTexts, EachWindowHearsItsOwn) {
    const WanTransformerConfig config{.heads = 2,
                                      .headDim = 16,
                                      .inChannels = 4,
                                      .outChannels = 4,
                                      .textDim = 12,
                                      .freqDim = 16,
                                      .ffnDim = 24,
                                      .layers = 2};
    const testing::RandomWan random(config, 5);
    const WanTransformer transformer(config, random.checkpoint(), planAttentions({}, config));
    WorkerPool pool({.workers = 1});
    LoneDevice lone({pool, {}});
    const Tensor latents = randomTensor({1, 4, 7, 4, 4}, 7);
    TextConditioning text{randomTensor({2, 6, 12}, 1), randomTensor({1, 6, 12}, 2)};
    text.textsOfVideos = {2};
    const std::optional<ContextWindows> windows =
        ContextWindows{.fuse = WindowFuse::Flat, .frames = 7, .length = 3, .overlap = 1};
    SchedulerConfig scheduling;
    scheduling.className = "FlowMatchEulerDiscreteScheduler";
    const auto scheduler = makeScheduler(scheduling);
    scheduler->setTimesteps(1);
    StepPrediction prediction;
    const VisualConditioning visual;
    denoise(lone.device(), transformer, *scheduler, text, visual, {.guidanceScale = 5, .windows = windows},
            latents.clone(), [&](const DenoiseStep& done) { prediction = done.prediction; });

    Tensor cond = Tensor::zeros(latents.shape());
    const auto list = windows->ofStep(0);  // 0-2, 2-4, 4-6: middles 1, 3 and 5 of 7
    const auto shares = windowShares(*windows, list);
    ASSERT_EQ(list.size(), 3U);
    const auto timestep = static_cast<float>(scheduler->timesteps()[0]);
    for (std::size_t index = 0; index < list.size(); ++index) {
        const std::int64_t own = index < 2 ? 0 : 1;
        const Tensor seen =
            transformer.forward(lone.device(),
                                {.latents = framesOf(latents, list[index]),
                                 .timesteps = Tensor::from({1}, std::vector<float>{timestep})},
                                {.text = text.prompt.slice(own, own + 1)});
        addWindow(cond, seen, list[index], shares[index]);
    }
    EXPECT_EQ(rowValues(prediction.cond), rowValues(cond));
}

Project timedProject() {
    Project project = testing::smallProject();
    project.prompt = "on a black background [0:50%] a red ball [50%:] a blue square";
    project.numFrames = 17;
    project.numInferenceSteps = 3;
    return project;
}

std::vector<float> latentsOf(const Project& project, int devices = 1) {
    GenerationRecorder recorder;
    return rowValues(generateOn(project, devices, recorder).latents);
}

void expectNear(const std::vector<float>& found, const std::vector<float>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 5e-4F) << i;
}

TEST(TimedPromptGeneration, TimesAndSoftnessCount) {
    const auto usual = latentsOf(timedProject());
    Project project = timedProject();
    project.promptRelayEpsilon = 0.5;
    EXPECT_NE(latentsOf(project), usual);
    project = timedProject();
    project.prompt = "on a black background [0:75%] a red ball [75%:] a blue square";
    EXPECT_NE(latentsOf(project), usual);
    project.prompt = "on a black background\na red ball\na blue square";
    EXPECT_NE(latentsOf(project), usual);
}

TEST(TimedPromptGeneration, OtherBracketsAreWords) {
    Project plain = timedProject();
    plain.prompt = "a red ball";
    Project marked = plain;
    marked.prompt = "[x] a red ball";
    EXPECT_NE(latentsOf(marked), latentsOf(plain));
}

TEST(TimedPromptGeneration, ContinuesFromAnyStepWithTheSameBits) {
    GenerationRecorder whole;
    const auto straight = rowValues(generateOn(timedProject(), 1, whole).latents);
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        GenerationRecorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        EXPECT_EQ(rowValues(generateOn(timedProject(), 1, rest, start).latents), straight)
            << "after step " << snapshot.stepsDone;
    }
}

TEST(TimedPromptGeneration, EveryMeshMakesTheVideoOfOneDevice) {
    const auto alone = latentsOf(timedProject());
    struct Mesh {
        const char* attention;
        std::int64_t data, fsdp, context, tensor;
    };
    for (const Mesh& mesh :
         {Mesh{"flash", 1, 1, 3, 1}, Mesh{"ring", 1, 1, 2, 1}, Mesh{"ulysses", 1, 1, 2, 1},
          Mesh{"ulysses_ring", 1, 1, 4, 1}, Mesh{"flash", 2, 1, 1, 1}, Mesh{"flash", 1, 2, 1, 2}}) {
        SCOPED_TRACE(std::string(mesh.attention) + " " + std::to_string(mesh.context));
        Project project = timedProject();
        project.attention = mesh.attention;
        project.iciDataParallelism = mesh.data;
        project.iciFsdpParallelism = mesh.fsdp;
        project.iciContextParallelism = mesh.context;
        project.iciTensorParallelism = mesh.tensor;
        if (mesh.context == 4)
            project.ulyssesShards = 2;
        expectNear(latentsOf(project, static_cast<int>(mesh.data * mesh.fsdp * mesh.context * mesh.tensor)),
                   alone);
    }
}

TEST(TimedPromptGeneration, HoldsInContextWindowsByTheTimeOfTheClip) {
    Project project = timedProject();
    project.numFrames = 25;
    project.contextFrames = 13;
    project.contextOverlap = 8;
    const auto usual = latentsOf(project);
    project.prompt = "on a black background\na red ball\na blue square";
    EXPECT_NE(latentsOf(project), usual);
}

TEST(TimedPromptGeneration, ANegativePromptHasNoTimes) {
    Project project = timedProject();
    project.negativePrompt = "[0:50%] green [50%:] white";
    const auto bracketed = latentsOf(project);
    project.negativePrompt = "green white";
    EXPECT_NE(latentsOf(project), bracketed) << "marks of a negative prompt are words";
}

Project sharedProject() {
    Project project = testing::smallProject();
    project.prompt = "a red ball on black | a blue square on black";
    project.numFrames = 25;
    project.numInferenceSteps = 2;
    project.contextFrames = 13;
    project.contextOverlap = 8;
    return project;
}

TEST(WindowTexts, ChangeTheVideoAndNotTheFirstWindowAlone) {
    Project project = sharedProject();
    const auto shared = latentsOf(project);
    project.prompt = "a red ball on black";
    const auto first = latentsOf(project);
    project.prompt = "a blue square on black";
    EXPECT_NE(shared, first);
    EXPECT_NE(shared, latentsOf(project));
    project.prompt = "a red ball on black | a red ball on black";
    EXPECT_EQ(latentsOf(project), first) << "twice the same text is that text";
}

TEST(WindowTexts, OfABatchMayBeSeveralOrOneOnAnyMesh) {
    Project project = sharedProject();
    project.batchPrompts = "a red ball | a blue square | a cube\na green ball\n";
    const auto alone = latentsOf(project);
    for (const int devices : {2, 4}) {
        SCOPED_TRACE(devices);
        Project sharing = project;
        sharing.iciFsdpParallelism = 2;
        sharing.iciDataParallelism = devices / 2;
        expectNear(latentsOf(sharing, devices), alone);
    }
}

TEST(PromptPlan, SaysWhatHoldsWhen) {
    const auto planOf = [](const Project& project) {
        return makePlan(project, {.workers = 1, .memoryBytes = std::uint64_t{1} << 40});
    };
    EXPECT_THAT(describePlan(*planOf(timedProject())),
                ::testing::HasSubstr("2 parts by time, softness 0.001"));
    EXPECT_EQ(planJson(*planOf(timedProject())).at("timed_prompt"), true);
    EXPECT_THAT(describePlan(*planOf(sharedProject())),
                ::testing::HasSubstr("2 texts, shared out to the context windows"));
    EXPECT_EQ(planJson(*planOf(sharedProject())).at("texts_of_prompt"), 2);
    EXPECT_EQ(planJson(*planOf(testing::smallProject())).at("texts_of_prompt"), 1);
}

}  // namespace
}  // namespace meshreel
