// SPDX-License-Identifier: GPL-3.0-or-later
// Bernini-R's sources: what a plan counts for them.
#include "engine/planning/source_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/checks/task_choice.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/work.h"
#include "engine/media/image.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/step_passes.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t plentyForSources = std::uint64_t{1} << 40;

TEST(SourceSize, ShrinksTheLongerSideAndRoundsBoth) {
    const auto size = [](std::int64_t height, std::int64_t width, std::int64_t most = 848) {
        return sourceSize({.height = height, .width = width}, most, 16);
    };
    EXPECT_EQ(size(480, 848), (PictureSize{480, 848}));
    EXPECT_EQ(size(100, 60), (PictureSize{96, 64})) << "never larger, but for rounding";
    EXPECT_EQ(size(1080, 1920), (PictureSize{480, 848})) << "477 rows are 29.8 patches";
    EXPECT_EQ(size(3000, 2000), (PictureSize{848, 560}));
    EXPECT_EQ(size(2000, 10), (PictureSize{848, 16})) << "at least one patch";
    EXPECT_EQ(size(24, 40), (PictureSize{32, 32})) << "halves to even: 1.5 and 2.5";
    EXPECT_EQ(size(1080, 1920, 320), (PictureSize{176, 320}));
}

class SourcePlans : public ::testing::Test {
  protected:
    [[nodiscard]] Project projectOn(std::string_view family) const {
        const auto model = m_folder.path() / std::string(family);
        if (!std::filesystem::exists(model))
            testing::makeTinyModel(model, testing::tinyModelOf(family));
        Project project = testing::smallProject();
        project.model = model.string();
        project.height = project.width = 64;
        project.numFrames = 9;
        return project;
    }

    [[nodiscard]] std::string picture(const std::string& name, std::int64_t height,
                                      std::int64_t width) const {
        writePng(m_folder / name, Tensor::zeros({height, width, 3}, DType::U8));
        return (m_folder / name).string();
    }

    static PlanPtr plan(const Project& project, PlanOptions options = {}) {
        options.workers = 1;
        options.memoryBytes = plentyForSources;
        return makePlan(project, options);
    }

    static std::vector<Problem> refusals(const Project& project) {
        try {
            static_cast<void>(plan(project));
        } catch (const ProjectError& refused) {
            return refused.problems();
        }
        return {};
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(SourcePlans, EachSourceIsAGroupOfItsOwnSize) {
    Project project = projectOn("wan2.1-bernini");
    const PlanPtr alone = plan(project);
    EXPECT_EQ(alone->task, WanTask::TextToVideo);
    EXPECT_THAT(alone->warnings, Contains(testing::Fault("trained-input-missing")));
    project.video = "clip.mp4";
    project.referenceImages = picture("wide.png", 40, 100) + ", " + picture("tall.png", 90, 30);
    const PlanPtr edit = plan(project);
    EXPECT_EQ(edit->task, WanTask::SourcesToVideo);
    EXPECT_THAT(edit->pictures, ElementsAre(PictureSize{32, 96}, PictureSize{96, 32}));
    ASSERT_THAT(edit->groups, SizeIs(3));
    EXPECT_EQ(edit->groups[0].latents, edit->latentShape);
    EXPECT_EQ(edit->groups[1].latents, (Shape{1, 16, 1, 4, 12}));
    EXPECT_EQ(edit->groups[2].latents, (Shape{1, 16, 1, 12, 4}));
    for (std::size_t index = 0; index < edit->groups.size(); ++index) {
        EXPECT_EQ(edit->groups[index].source, static_cast<std::int64_t>(index) + 1);
        EXPECT_EQ(edit->groups[index].firstFrame, 0);
    }
    EXPECT_EQ(edit->latentShape, alone->latentShape);
    EXPECT_EQ(edit->tokens, 2 * alone->tokens + 2 * 2 * 6);
    EXPECT_THAT(describePlan(*edit), AllOf(HasSubstr("by pictures 5"), HasSubstr("by the video 1.25")));

    project.referenceMaxSize = 48;
    EXPECT_THAT(plan(project)->pictures, ElementsAre(PictureSize{16, 48}, PictureSize{48, 16}));
    project.referenceImages = (m_folder / "missing.png").string();
    EXPECT_THAT(plan(project)->pictures, ElementsAre(PictureSize{48, 48}))
        << "as large as the video, until read";
    EXPECT_THAT(plan(project, {.pictures = std::vector{PictureSize{32, 16}}})->pictures,
                ElementsAre(PictureSize{32, 16}))
        << "what another process found";
}

TEST_F(SourcePlans, APassCountsTheTokensThatItSees) {
    Project project = projectOn("wan2.1-bernini");
    project.video = "clip.mp4";
    project.referenceImages = picture("wide.png", 40, 100);
    const PlanPtr edit = plan(project);
    ASSERT_THAT(edit->passes, SizeIs(4));
    EXPECT_EQ(edit->rowsOfVideo(), 4);
    const std::int64_t own = tokenCount(edit->latentShape, edit->model.transformer);
    EXPECT_EQ(edit->tokensOf(edit->passes[0]), edit->tokens);
    EXPECT_EQ(edit->tokensOf(edit->passes[1]), edit->tokens);
    EXPECT_EQ(edit->tokensOf(edit->passes[2]), 2 * own);
    EXPECT_EQ(edit->tokensOf(edit->passes[3]), own);
    const auto flops = [&](std::int64_t tokens) {
        return transformerPassFlops(edit->model.transformer, tokens, project.maxSequenceLength);
    };
    const double step = 2 * flops(edit->tokens) + flops(2 * own) + flops(own);
    EXPECT_DOUBLE_EQ(edit->flops.step, step);
    const double text = 4 * textContextFlops(edit->model.transformer, project.maxSequenceLength);
    EXPECT_NEAR(edit->flops.denoising, edit->steps() * step + text, 1e-6 * edit->flops.denoising);

    Project unguided = project;
    unguided.guidanceScale = 1;
    EXPECT_EQ(plan(unguided)->rowsOfVideo(), 1);
    EXPECT_EQ(plan(unguided)->tokens, edit->tokens);
    const auto linear = [&](const PlanPtr& of) {
        return stepWork(*of, of->placement, 64)[WorkClass::LinearF32];
    };
    EXPECT_LT(linear(edit), 4 * linear(plan(unguided)));
    EXPECT_GT(linear(edit), 2 * linear(plan(unguided)));

    // Devices that share the batch take the prompt's pass first.
    project.iciDataParallelism = 4;
    EXPECT_DOUBLE_EQ(linear(plan(project)), linear(plan(unguided)));
    EXPECT_EQ(passesPerStep(*plan(project)), 1);
}

TEST_F(SourcePlans, WhatIsEncodedAndHeldIsCounted) {
    Project project = projectOn("wan2.1-bernini");
    project.referenceImages = picture("small.png", 32, 32);
    const PlanPtr small = plan(project);
    EXPECT_THAT(encodedFrames(*small), IsEmpty());
    project.referenceImages = picture("large.png", 480, 640);
    const PlanPtr large = plan(project);
    const auto convolutions = [](const PlanPtr& of) {
        return measureWork(*of)[RunStage::Conditioning][WorkClass::ConvolutionF32];
    };
    EXPECT_DOUBLE_EQ(
        convolutions(large),
        vaeEncodeWork(large->model.vae, {.frames = 1, .height = 480, .width = 640}).computedFlops);
    EXPECT_GT(large->memory.conditioning.total(), 4 * small->memory.conditioning.total());
    EXPECT_GT(large->memory.device.activations, small->memory.device.activations);
    project.video = "clip.mp4";
    EXPECT_THAT(encodedFrames(*plan(project)), ElementsAre(9));
    project.continueFrom = picture("before.png", 64, 64);
    project.continueFrames = 1;
    EXPECT_THAT(encodedFrames(*plan(project)), ElementsAre(9, 1));
}

TEST_F(SourcePlans, WhatBerniniDoesNotTakeIsRefusedWithACure) {
    const auto at = [](const char* key) { return ::testing::Field(&Problem::key, std::string(key)); };
    Project project = projectOn("wan2.1-bernini");
    project.task = "bernini";
    EXPECT_THAT(refusals(project), ElementsAre(testing::Fault("task-input-missing")));
    project.referenceImages = "a.png, b.png, c.png, d.png, e.png, f.png, g.png, h.png, i.png";
    EXPECT_THAT(refusals(project),
                Contains(AllOf(at("reference_images"), testing::Fault("references-too-many"),
                               testing::Names("9", "8"))));
    project.referenceImages = "a.png";
    EXPECT_THAT(refusals(project), IsEmpty());
    project.useFirstBlockCache = true;
    EXPECT_THAT(refusals(project), ElementsAre(at("use_first_block_cache")));
    const double usual = std::exchange(project.guidanceScaleImage, project.guidanceScale);
    EXPECT_THAT(refusals(project), ElementsAre(at("use_first_block_cache")))
        << "of two passes the second one sees no picture";
    project.guidanceScaleImage = 1;
    EXPECT_THAT(refusals(project), IsEmpty()) << "both passes see it";
    project.guidanceScaleImage = usual;
    project.useFirstBlockCache = false;
    project.guidanceScaleVideo = 2;
    EXPECT_THAT(refusals(project),
                ElementsAre(AllOf(at("guidance_scale_video"), testing::Fault("task-setting-unused"))))
        << "there is no video";
    project.video = "clip.mp4";
    EXPECT_THAT(refusals(project), IsEmpty());
    project.numFrames = 25;
    project.contextFrames = 9;
    project.contextOverlap = 4;
    EXPECT_THAT(refusals(project),
                Contains(AllOf(at("context_frames"), testing::Fault("context-windows-not-for-task"))));
    project.video.clear();
    project.guidanceScaleVideo = Project().guidanceScaleVideo;
    EXPECT_THAT(refusals(project), IsEmpty()) << "pictures are in every window";

    Project plain = projectOn("wan2.1-t2v");
    plain.referenceMaxSize = 320;
    EXPECT_THAT(refusals(plain),
                ElementsAre(AllOf(at("reference_max_size"), testing::Fault("task-setting-unused"))));

    Project cached = projectOn("wan2.2-bernini");
    cached.referenceImages = "a.png";
    cached.useCfgCache = true;
    EXPECT_THAT(refusals(cached), Contains(at("use_cfg_cache")));
}

TEST_F(SourcePlans, EachExpertHasPassesOfItsOwn) {
    Project project = projectOn("wan2.2-bernini");
    project.video = "clip.mp4";
    project.referenceImages = picture("wide.png", 40, 100);
    project.guidanceScaleHigh = 4;
    project.guidanceScaleLow = 3.2;
    const PlanPtr edit = plan(project);
    EXPECT_THAT(edit->passesFor(1), SizeIs(4));
    EXPECT_THAT(edit->passesFor(2), SizeIs(3));
    EXPECT_THAT(edit->passes, SizeIs(4)) << "memory is for the most";
    project.guidanceScaleLow = 4;
    EXPECT_GT(plan(project)->flops.denoising, edit->flops.denoising);
}

TEST(ChooseTask, SourcesAreForBernini) {
    Project project = testing::smallProject();
    const ModelFamily& bernini = *familyOfArchitecture("wan2.1-bernini-1.3b");
    EXPECT_EQ(chooseTask(project, bernini).task, WanTask::TextToVideo);
    project.video = "clip.mp4";
    EXPECT_EQ(chooseTask(project, bernini).task, WanTask::SourcesToVideo);
    EXPECT_THAT(chooseTask(project, bernini).problems, IsEmpty());
    EXPECT_FALSE(guidesImages(project, bernini));
    EXPECT_TRUE(mayRead(project, bernini, "guidance_scale_video"));
    EXPECT_FALSE(mayRead(project, *familyOfArchitecture("wan2.1-t2v-14b"), "guidance_scale_video"));
    project.referenceImages = "cat.png";
    EXPECT_TRUE(guidesImages(project, bernini));
    project.task = "v2v";
    EXPECT_EQ(chooseTask(project, bernini).task, WanTask::VideoToVideo)
        << "noised and made again, as by others";
}

}  // namespace
}  // namespace meshreel
