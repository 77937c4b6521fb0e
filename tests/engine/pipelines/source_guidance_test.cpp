// SPDX-License-Identifier: GPL-3.0-or-later
// Passes that see fewer and fewer of Bernini-R's sources.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/media/image.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/generation.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/planning/run_plan.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/generated.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_wan.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using testing::generateOn;
using testing::randomTensor;
using testing::rowValues;
using ::testing::SizeIs;
using Recorder = testing::GenerationRecorder;

/// Two videos with a source video and a picture of another size.
class SourceGuidance : public ::testing::Test {
  protected:
    static WanTransformerConfig smallConfig() {
        return {.heads = 2,
                .headDim = 16,
                .inChannels = 4,
                .outChannels = 4,
                .textDim = 12,
                .freqDim = 16,
                .ffnDim = 24,
                .layers = 2};
    }

    SourceGuidance()
        : m_random(smallConfig(), 5),
          m_transformer(smallConfig(), m_random.checkpoint(), planAttentions({}, smallConfig())),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {
        m_visual.leavesOutGroups = true;
        m_visual.groups = {{.latents = randomTensor({1, 4, 3, 4, 4}, 3), .source = 1},
                           {.latents = randomTensor({1, 4, 1, 2, 10}, 4), .source = 2}};
    }

    [[nodiscard]] StepPrediction step(const GuidedPasses& passes) {
        SchedulerConfig config;
        config.className = "FlowMatchEulerDiscreteScheduler";
        const auto scheduler = makeScheduler(config);
        scheduler->setTimesteps(2);
        StepPrediction prediction;
        static_cast<void>(denoise(m_lone.device(), m_transformer, *scheduler, m_text, m_visual,
                                  {.passes = passes, .endStep = 1}, m_latents.clone(),
                                  [&](const DenoiseStep& done) { prediction = done.prediction; }));
        m_timestep = scheduler->timesteps().front();
        return prediction;
    }

    /// What the transformer itself makes of one video with the first `seen` sources.
    [[nodiscard]] std::vector<float> predicted(std::int64_t video, const Tensor& text, std::size_t seen) {
        WanInputs inputs{.latents = m_latents.slice(video, video + 1),
                         .timesteps = Tensor::from({1}, std::vector<float>{static_cast<float>(m_timestep)})};
        inputs.groups.assign(m_visual.groups.begin(),
                             m_visual.groups.begin() + static_cast<std::ptrdiff_t>(seen));
        return rowValues(
            m_transformer.forward(m_lone.device(), inputs, {.text = text.slice(video, video + 1)}));
    }

    testing::RandomWan m_random;
    WanTransformer m_transformer;
    WorkerPool m_pool;
    LoneDevice m_lone;
    VisualConditioning m_visual;
    Tensor m_latents = randomTensor({2, 4, 3, 4, 4}, 7);
    TextConditioning m_text{randomTensor({2, 6, 12}, 1), randomTensor({2, 6, 12}, 2)};
    double m_timestep = 0;
};

TEST_F(SourceGuidance, EachPassHasTheTokensOfWhatItSees) {
    const GuidedPasses passes{{.groups = 2, .scale = 4},
                              {.hearsPrompt = false, .groups = 2, .scale = 4.5},
                              {.hearsPrompt = false, .groups = 1, .scale = 1.25},
                              {.hearsPrompt = false, .groups = 0}};
    const StepPrediction done = step(passes);
    ASSERT_TRUE(done.uncond);
    ASSERT_THAT(done.further, SizeIs(2));
    for (std::int64_t video = 0; video < 2; ++video) {
        const auto of = [&](const Tensor& rows) { return rowValues(rows.slice(video, video + 1)); };
        EXPECT_EQ(of(done.cond), predicted(video, m_text.prompt, 2));
        EXPECT_EQ(of(*done.uncond), predicted(video, *m_text.negative, 2));
        EXPECT_EQ(of(done.further[0]), predicted(video, *m_text.negative, 1));
        EXPECT_EQ(of(done.further[1]), predicted(video, *m_text.negative, 0));
    }
    EXPECT_EQ(
        rowValues(done.guided),
        rowValues(guide(std::vector{done.cond, *done.uncond, done.further[0], done.further[1]}, passes)));
}

TEST_F(SourceGuidance, APromptThatSharesNoPassIsComputedByItself) {
    const StepPrediction done = step({{.groups = 2, .scale = 4},
                                      {.hearsPrompt = false, .groups = 1, .scale = 1.25},
                                      {.hearsPrompt = false, .groups = 0}});
    for (std::int64_t video = 0; video < 2; ++video) {
        EXPECT_EQ(rowValues(done.cond.slice(video, video + 1)), predicted(video, m_text.prompt, 2));
        EXPECT_EQ(rowValues(done.uncond->slice(video, video + 1)), predicted(video, *m_text.negative, 1));
    }
}

/// Whole runs on a tiny model.
class SourceRuns : public ::testing::Test {
  protected:
    void SetUp() override {
        testing::makeTinyModel(m_folder / "model", testing::tinyModelOf("wan2.1-bernini"));
        std::filesystem::create_directories(m_folder / "clip");
        for (int frame = 0; frame < 5; ++frame)
            writePicture(fmt::format("clip/frame_0000{}.png", frame + 1), 36, 40, 10 + frame);
        writePicture("first.png", 41, 58, 1);
        writePicture("second.png", 30, 20, 2);
    }

    void writePicture(const std::string& name, std::int64_t height, std::int64_t width, int seed) const {
        Tensor picture = Tensor::empty({height, width, 3}, DType::U8);
        const Tensor noise = randomTensor({height, width, 3}, static_cast<std::uint32_t>(seed));
        std::ranges::transform(noise.data<float>(), picture.data<std::uint8_t>().begin(), [](float value) {
            return static_cast<std::uint8_t>(std::clamp(128.0F + 50.0F * value, 0.0F, 255.0F));
        });
        writePng(m_folder / name, picture);
    }

    [[nodiscard]] Project project() const {
        Project project = testing::smallProject();
        project.model = (m_folder / "model").string();
        project.video = (m_folder / "clip").string();
        project.referenceImages =
            fmt::format("{}, {}", (m_folder / "first.png").string(), (m_folder / "second.png").string());
        return project;
    }

    static std::vector<float> latentsOf(const Project& of, int devices = 1) {
        Recorder recorder;
        return rowValues(generateOn(of, devices, recorder).latents);
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(SourceRuns, EveryDeviceMayTakeAPassOfItsOwn) {
    const auto expected = latentsOf(project());
    for (const int devices : {2, 3, 4})
        for (const bool data : {true, false}) {
            SCOPED_TRACE(fmt::format("{} devices, {}", devices, data ? "data" : "fsdp"));
            Project shared = project();
            (data ? shared.iciDataParallelism : shared.iciFsdpParallelism) = devices;
            const auto found = latentsOf(shared, devices);
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                ASSERT_NEAR(found[i], expected[i], 1e-3F) << i;
        }
}

TEST_F(SourceRuns, EverySourceAndScaleCounts) {
    const auto all = latentsOf(project());
    const auto changed = [&](const auto& change) {
        Project other = project();
        change(other);
        return latentsOf(other);
    };
    EXPECT_NE(changed([](Project& of) { of.video.clear(); }), all);
    EXPECT_NE(changed([&](Project& of) { of.referenceImages = (m_folder / "first.png").string(); }), all);
    EXPECT_NE(changed([&](Project& of) {
                  of.referenceImages = fmt::format("{}, {}", (m_folder / "second.png").string(),
                                                   (m_folder / "first.png").string());
              }),
              all)
        << "their order gives them their ids";
    EXPECT_NE(changed([](Project& of) { of.guidanceScaleVideo = 2; }), all);
    EXPECT_NE(changed([](Project& of) { of.guidanceScaleImage = 2; }), all);
    EXPECT_NE(changed([](Project& of) { of.referenceMaxSize = 32; }), all);
}

TEST_F(SourceRuns, EasyCacheGoesOnWithEveryPass) {
    Project cached = project();
    cached.numInferenceSteps = 8;
    cached.useEasycache = true;
    cached.easycacheThresh = 10;
    cached.easycacheStart = 0;
    Recorder whole;
    const GenerationResult straight = generateOn(cached, 1, whole);
    EXPECT_TRUE(std::ranges::any_of(straight.steps,
                                    [](const StepRecord& step) { return step.work == StepWork::Nothing; }));
    for (const SamplerSnapshot& snapshot : whole.snapshots) {
        Recorder rest;
        GenerationStart start;
        start.resumeFrom = snapshot;
        EXPECT_EQ(rowValues(generateOn(cached, 1, rest, start).latents), rowValues(straight.latents))
            << "after step " << snapshot.stepsDone;
    }
}

}  // namespace
}  // namespace meshreel
