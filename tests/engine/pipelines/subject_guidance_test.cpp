// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/pipelines/denoise.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/generated.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_wan.h"

namespace meshreel {
namespace {

using testing::randomTensor;
using testing::rowValues;

/// Two videos with two subjects behind three frames, on a small transformer.
class SubjectGuidance : public ::testing::Test {
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

    SubjectGuidance()
        : m_random(smallConfig(), 5),
          m_transformer(smallConfig(), m_random.checkpoint(), planAttentions({}, smallConfig())),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {
        m_visual.groups = {{.latents = m_subjects, .firstFrame = 3}};
    }

    /// The prediction of one step, and the latents behind it.
    struct Step {
        StepPrediction prediction;
        Tensor latents;
    };

    [[nodiscard]] Step step(const TextConditioning& text, double imageScale) {
        SchedulerConfig config;
        config.className = "FlowMatchEulerDiscreteScheduler";
        const auto scheduler = makeScheduler(config);
        scheduler->setTimesteps(2);
        GuidedPasses passes{{.groups = 1, .scale = 7.5}, {.hearsPrompt = false, .groups = 1}};
        if (imageScale > 1) {
            passes.back().scale = imageScale;
            passes.push_back({.hearsPrompt = false, .groups = 0});
        }
        Step result;
        result.latents = denoise(m_lone.device(), m_transformer, *scheduler, text, m_visual,
                                 {.passes = passes, .endStep = 1}, m_latents.clone(),
                                 [&](const DenoiseStep& done) { result.prediction = done.prediction; });
        m_timestep = scheduler->timesteps().front();
        return result;
    }

    /// The transformer's own prediction for one video, as Phantom's program asks for it: subjects are more
    /// frames, of which it forgets what is predicted.
    [[nodiscard]] std::vector<float> predicted(std::int64_t video, const Tensor& text, const Tensor& behind) {
        const WanInputs inputs{
            .latents = joined({m_latents.slice(video, video + 1), behind}, frameAxis),
            .timesteps = Tensor::from({1}, std::vector<float>{static_cast<float>(m_timestep)})};
        const Tensor all =
            m_transformer.forward(m_lone.device(), inputs, {.text = text.slice(video, video + 1)});
        return rowValues(sliced(all, frameAxis, 0, 3));
    }

    testing::RandomWan m_random;
    WanTransformer m_transformer;
    WorkerPool m_pool;
    LoneDevice m_lone;
    Tensor m_subjects = randomTensor({1, 4, 2, 4, 4}, 3);
    VisualConditioning m_visual;
    Tensor m_latents = randomTensor({2, 4, 3, 4, 4}, 7);
    TextConditioning m_text{randomTensor({2, 6, 12}, 1), randomTensor({2, 6, 12}, 2)};
    double m_timestep = 0;
};

TEST_F(SubjectGuidance, ThreePassesOfEachVideoAreWeighed) {
    const Step done = step(m_text, 5);
    ASSERT_TRUE(done.prediction.uncond);
    ASSERT_EQ(done.prediction.further.size(), 1U);
    const Tensor none = Tensor::zeros(m_subjects.shape());
    for (std::int64_t video = 0; video < 2; ++video) {
        const auto both = predicted(video, m_text.prompt, m_subjects);
        const auto images = predicted(video, *m_text.negative, m_subjects);
        const auto neither = predicted(video, *m_text.negative, none);
        EXPECT_EQ(rowValues(done.prediction.cond.slice(video, video + 1)), both);
        EXPECT_EQ(rowValues(done.prediction.uncond->slice(video, video + 1)), images);
        EXPECT_EQ(rowValues(done.prediction.further.front().slice(video, video + 1)), neither);
        const auto guided = rowValues(done.prediction.guided.slice(video, video + 1));
        for (std::size_t i = 0; i < guided.size(); ++i)
            ASSERT_NEAR(guided[i], neither[i] + 5 * (images[i] - neither[i]) + 7.5 * (both[i] - images[i]),
                        1e-4)
                << i;
    }
}

TEST_F(SubjectGuidance, AtOneItIsGuidanceByThePromptAlone) {
    const Step two = step(m_text, 1);
    EXPECT_TRUE(two.prediction.further.empty());
    EXPECT_EQ(rowValues(two.prediction.cond), rowValues(step(m_text, 5).prediction.cond));
    const auto cond = rowValues(two.prediction.cond);
    const auto uncond = rowValues(*two.prediction.uncond);
    const auto guided = rowValues(two.prediction.guided);
    for (std::size_t i = 0; i < guided.size(); ++i)
        ASSERT_NEAR(guided[i], uncond[i] + 7.5 * (cond[i] - uncond[i]), 1e-4) << i;
}

TEST_F(SubjectGuidance, WithoutGuidanceThereIsOnePass) {
    const Step one = step({m_text.prompt, std::nullopt}, 5);
    EXPECT_FALSE(one.prediction.uncond);
    EXPECT_TRUE(one.prediction.further.empty());
    EXPECT_EQ(rowValues(one.prediction.guided), rowValues(one.prediction.cond));
}

}  // namespace
}  // namespace meshreel
