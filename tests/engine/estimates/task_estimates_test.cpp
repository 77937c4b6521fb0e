// SPDX-License-Identifier: GPL-3.0-or-later
// What plans count for images, control, poses and faces, against every product and tensor listed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/vae_memory.h"
#include "engine/estimates/work.h"
#include "engine/estimates/workload.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/step_passes.h"
#include "tests/support/refusal.h"
#include "tests/support/task_plans.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TaskPlans;

TEST_F(TaskPlans, KnowWhatTheVaeEncodes) {
    EXPECT_THAT(encodedFrames(*plan(projectOn("wan2.1-t2v"))), IsEmpty());
    Project image = projectOn("wan2.1-i2v");
    image.image = input("a.png");
    EXPECT_THAT(encodedFrames(*plan(image)), ElementsAre(9));
    Project along = projectOn("wan2.1-ati");
    along.image = input("a.png");
    EXPECT_THAT(plan(along)->warnings,
                ::testing::Contains(::testing::Field(&Problem::message, ::testing::HasSubstr("(tracks)"))));
    along.tracks = input("tracks.json");
    EXPECT_THAT(encodedFrames(*plan(along)), ElementsAre(9));
    EXPECT_EQ(plan(along)->tokens, plan(image)->tokens);
    Project moved = projectOn("wan2.1-move");
    moved.image = input("a.png");
    EXPECT_THAT(plan(moved)->warnings, ::testing::Contains(testing::Fault("trained-input-missing")));
    moved.tracks = input("tracks.json");
    EXPECT_THAT(encodedFrames(*plan(moved)), ElementsAre(9));
    EXPECT_EQ(plan(moved)->tokens, plan(image)->tokens);
    EXPECT_EQ(plan(moved)->trackPoints(), 9);
    EXPECT_EQ(plan(along)->trackPoints(), 121);
    EXPECT_EQ(plan(image)->trackPoints(), 0);
    Project token = projectOn("wan2.2-ti2v");
    token.image = input("a.png");
    EXPECT_THAT(encodedFrames(*plan(token)), ElementsAre(1));
    const auto keyed = [&](const char* family) {
        Project project = projectOn(family);
        project.keyframes = {{.place = {.value = 8}, .image = input("a.png")},
                             {.place = {.value = 4}, .image = input("b.png")}};
        return project;
    };
    EXPECT_THAT(encodedFrames(*plan(keyed("wan2.1-i2v"))), ElementsAre(9));
    EXPECT_THAT(encodedFrames(*plan(keyed("wan2.2-ti2v"))), ElementsAre(5, 1));
    EXPECT_THAT(encodedFrames(*plan(keyed("wan2.1-vace"))), ElementsAre(9, 9));
    Project again = projectOn("wan2.1-t2v");
    again.video = input("a.mp4");
    again.task = "v2v";
    EXPECT_THAT(encodedFrames(*plan(again)), ElementsAre(9));
    Project edit = projectOn("wan2.1-vace");
    edit.referenceImages = input("a.png") + ", " + input("b.png");
    EXPECT_THAT(encodedFrames(*plan(edit)), ElementsAre(9, 9, 1, 1));
    Project subjects = projectOn("wan2.1-phantom");
    subjects.referenceImages = edit.referenceImages;
    EXPECT_THAT(encodedFrames(*plan(subjects)), ElementsAre(1, 1));
    const PlanPtr animated = plan(animation());
    ASSERT_EQ(animated->segments.count, 2);  // of 5 frames, one of them shared
    EXPECT_THAT(encodedFrames(*animated), ElementsAre(1, 5, 5, 1, 5, 5));

    const auto behindFive = [&](Project project) {
        project.continueFrom = input("before.mp4");
        project.continueFrames = 5;
        return encodedFrames(*plan(project));
    };
    EXPECT_THAT(behindFive(projectOn("wan2.1-t2v")), ElementsAre(5));
    EXPECT_THAT(behindFive(again), ElementsAre(9, 5));
    EXPECT_THAT(behindFive(subjects), ElementsAre(1, 1, 5));
    along.image.clear();
    EXPECT_THAT(behindFive(along), ElementsAre(9, 1));
    Project keyedToken = keyed("wan2.2-ti2v");
    keyedToken.keyframes.pop_back();
    EXPECT_THAT(behindFive(keyedToken), ElementsAre(5, 1));
    Project longer = animation();
    longer.segmentFrameLength = 9;
    EXPECT_THAT(behindFive(longer), ElementsAre(1, 9, 9));

    const PlanPtr of = plan(edit);
    double sum = 0;
    for (const std::int64_t frames : {9, 9, 1, 1})
        sum += vaeEncodeWork(of->model.vae, {.frames = frames, .height = 64, .width = 64}).computedFlops;
    EXPECT_DOUBLE_EQ(measureWork(*of)[RunStage::Conditioning][WorkClass::ConvolutionF32], sum);
}

TEST_F(TaskPlans, ADrivingVideosKeysAreKeptWhereTheyFit) {
    Project project = projectOn("wan2.2-animate2");
    project.image = input("character.png");
    project.video = input("dance.mp4");
    project.segmentFrameLength = 5;
    const PlanPtr cached = plan(project);
    ASSERT_EQ(cached->task, WanTask::DrivenAnimation);
    EXPECT_EQ(cached->segments.count, 2);
    EXPECT_EQ(cached->referenceFrames, 1);
    ASSERT_EQ(cached->latentShape, (Shape{1, 16, 3, 8, 8}));
    EXPECT_EQ(cached->tokens, 3 * 4 * 4);
    EXPECT_EQ(cached->drivingKeys, DrivingKeysUse::Cached);
    EXPECT_EQ(cached->drivingOptions().firstFrameBias, 0);
    EXPECT_THAT(encodedFrames(*cached), ElementsAre(1, 5, 5, 1, 5, 5));

    // Keys and values of two latent frames in each of two blocks.
    const auto numbers = static_cast<std::uint64_t>(2 * 2 * 2 * 4 * 4 * cached->model.transformer.innerDim());
    EXPECT_EQ(drivingKeyBytes(*cached, DrivingKeysUse::Cached), numbers * 4);
    EXPECT_EQ(drivingKeyBytes(*cached, DrivingKeysUse::Int8),
              numbers + numbers / static_cast<std::uint64_t>(cached->model.transformer.headDim) * 4);
    EXPECT_EQ(drivingKeyBytes(*cached, DrivingKeysUse::Recomputed), 0U);

    project.drivingKeys = "recomputed";
    const PlanPtr again = plan(project);
    EXPECT_EQ(again->drivingKeys, DrivingKeysUse::Recomputed);
    EXPECT_GT(again->flops.step, 1.5 * cached->flops.step);
    EXPECT_GT(stepWork(*again, again->placement, 8)[WorkClass::Blocks],
              1.9 * stepWork(*cached, cached->placement, 8)[WorkClass::Blocks]);
    Project distilled = project;
    distilled.model = projectOn("wan2.2-animate2-distilled").model;
    EXPECT_FLOAT_EQ(plan(distilled)->drivingOptions().firstFrameBias, -1.3F);

    Project plain = project;
    plain.model = projectOn("wan2.1-i2v").model;
    plain.task = "animate2";
    const PlanPtr unnamed = plan(plain);
    EXPECT_EQ(unnamed->task, WanTask::DrivenAnimation);
    EXPECT_THAT(unnamed->warnings, ::testing::Contains(testing::Fault("trained-input-missing")));
}

TEST_F(TaskPlans, ADrivingVideosKeysGiveWayToWhatElseMemoryHolds) {
    Project project = projectOn("wan2.2-animate2");
    project.image = input("character.png");
    project.video = input("dance.mp4");
    project.segmentFrameLength = 5;
    const auto useIn = [&project](std::uint64_t bytes) {
        return makePlan(project, {.workers = 1, .memoryBytes = bytes, .beyondMemory = true})->drivingKeys;
    };
    const auto peakOf = [&](const char* use) {
        Project asked = project;
        asked.drivingKeys = use;
        return plan(asked)->memory.denoising.total();
    };
    EXPECT_LT(peakOf("int8"), peakOf("cached"));
    EXPECT_EQ(useIn(plentyForEstimates), DrivingKeysUse::Cached);
    EXPECT_EQ(useIn(1 << 20), DrivingKeysUse::Recomputed) << "nothing fits: the least is asked for";
}

TEST_F(TaskPlans, SubjectsTakeTokensAndAThirdPass) {
    Project project = projectOn("wan2.1-phantom");
    const PlanPtr without = plan(project);
    ASSERT_EQ(without->latentShape, (Shape{1, 16, 3, 8, 8}));
    EXPECT_EQ(without->rowsOfVideo(), 2);
    project.referenceImages = input("a.png") + ", " + input("b.png");
    const PlanPtr with = plan(project);
    EXPECT_EQ(with->latentShape, without->latentShape);
    EXPECT_EQ(with->tokens, without->tokens / 3 * 5);
    EXPECT_EQ(with->rowsOfVideo(), 3);
    EXPECT_EQ(passesPerStep(*with), 3);
    EXPECT_DOUBLE_EQ(with->flops.step, 3 * with->flops.transformerPass);
    EXPECT_GT(with->memory.device.activations, without->memory.device.activations);
    EXPECT_GT(with->memory.conditioning.activations + with->memory.loading.total(), 0U);

    project.guidanceScaleImage = 1;
    const PlanPtr two = plan(project);
    EXPECT_EQ(two->rowsOfVideo(), 2);
    EXPECT_LT(two->memory.device.activations, with->memory.device.activations);
    project.guidanceScale = 1;
    EXPECT_EQ(plan(project)->rowsOfVideo(), 1);

    project.guidanceScale = 3;
    project.guidanceScaleImage = 5;
    project.iciDataParallelism = 3;
    EXPECT_EQ(passesPerStep(*plan(project)), 1);
    project.iciDataParallelism = 2;
    EXPECT_EQ(passesPerStep(*plan(project)), 2);
}

TEST_F(TaskPlans, WhatPhantomDoesNotTakeIsRefusedWithACure) {
    using ::testing::AllOf;
    using ::testing::Contains;
    using ::testing::ElementsAre;
    using ::testing::IsEmpty;
    const auto at = [](const char* key) { return ::testing::Field(&Problem::key, std::string(key)); };
    Project project = projectOn("wan2.1-phantom");
    project.referenceImages = "a.png, b.png, c.png, d.png, e.png";
    EXPECT_THAT(refusals(project),
                Contains(AllOf(at("reference_images"), testing::Fault("references-too-many"),
                               testing::Names("5", "4"))));
    project.referenceImages = "a.png";
    EXPECT_THAT(refusals(project), IsEmpty());
    project.useFirstBlockCache = true;
    EXPECT_THAT(refusals(project), ElementsAre(at("use_first_block_cache")));
    project.guidanceScaleImage = 1;
    EXPECT_THAT(refusals(project), IsEmpty());

    Project single = projectOn("wan2.1-ati");
    single.image = input("a.png");
    single.tracks = input("tracks.json");
    single.numFrames = 1;
    EXPECT_THAT(refusals(single), Contains(at("num_frames")));

    Project moved = projectOn("wan2.1-move");
    moved.image = input("a.png");
    moved.tracks = input("tracks.npy");
    EXPECT_THAT(refusals(moved), IsEmpty());
    moved.useFirstBlockCache = true;
    EXPECT_THAT(refusals(moved), ElementsAre(at("use_first_block_cache")))
        << "its second pass follows the decision";
    moved.guidanceScale = 1;
    EXPECT_THAT(refusals(moved), IsEmpty());

    Project plain = projectOn("wan2.1-t2v");
    plain.referenceImages = "a.png";
    EXPECT_THAT(refusals(plain),
                Contains(AllOf(at("reference_images"), testing::Fault("task-input-unused"))));
    plain.referenceImages.clear();
    plain.guidanceScaleImage = 4;
    EXPECT_THAT(refusals(plain),
                Contains(AllOf(at("guidance_scale_image"), testing::Fault("task-setting-unused"))));
}

TEST_F(TaskPlans, TheHalvesOfGuidanceByTracksShareNothing) {
    const auto planned = [&](std::string_view family, double guidance) {
        Project project = projectOn(family);
        project.image = input("a.png");
        project.guidanceScale = guidance;
        if (family == "wan2.1-move")
            project.tracks = input("tracks.json");
        return plan(project);
    };
    const auto stepOf = [](const PlanPtr& of) { return stepWork(*of, of->placement, 64)[WorkClass::Blocks]; };
    const PlanPtr image = planned("wan2.1-i2v", 5);
    const PlanPtr moved = planned("wan2.1-move", 5);
    EXPECT_GT(stepOf(moved), stepOf(image));
    EXPECT_DOUBLE_EQ(stepOf(planned("wan2.1-move", 1)), stepOf(planned("wan2.1-i2v", 1)));
    EXPECT_DOUBLE_EQ(stepOf(moved), 2 * stepOf(planned("wan2.1-move", 1)));
    EXPECT_LT(moved->memory.device.activations, image->memory.device.activations)
        << "nothing is kept for the second half";
}

TEST_F(TaskPlans, SubjectsAreTokensBesideThoseOfTheLatents) {
    Project project = projectOn("wan2.1-phantom");
    const PlanPtr alone = plan(project);
    EXPECT_THAT(alone->groups, IsEmpty());
    project.referenceImages = input("a.png") + ", " + input("b.png") + ", " + input("c.png");
    const PlanPtr shown = plan(project);
    EXPECT_EQ(shown->latentShape, alone->latentShape);
    EXPECT_EQ(shown->referenceFrames, 0);
    ASSERT_EQ(shown->groups.size(), 1U);
    const GroupShape& subjects = shown->groups.front();
    EXPECT_EQ(subjects.latents, alone->latentShape.with(2, 3));
    EXPECT_EQ(subjects.firstFrame, alone->latentShape[2]);
    EXPECT_EQ(shown->tokens, alone->tokens + 3 * 4 * 4);
    EXPECT_EQ(shown->noiseFramesBehind(), 3) << "a seed gives the noise of Phantom's own program";
    EXPECT_EQ(alone->noiseFramesBehind(), 0);
    EXPECT_GT(shown->flops.transformerPass, alone->flops.transformerPass);
    EXPECT_GT(shown->memory.device.activations, alone->memory.device.activations);
}

TEST_F(TaskPlans, WithoutItsInputAModelRunsAsWhatItsTensorsAreWithAWarning) {
    using ::testing::Contains;
    Project project = projectOn("wan2.1-phantom");
    EXPECT_EQ(plan(project)->task, WanTask::TextToVideo);
    EXPECT_THAT(plan(project)->warnings, Contains(testing::Fault("trained-input-missing")));
    project.referenceImages = "a.png";
    EXPECT_THAT(plan(project)->warnings, ::testing::Not(Contains(testing::Fault("trained-input-missing"))));
}

std::int64_t traffic(const RunPlan& plan, std::string_view purpose) {
    const std::vector<MeshTraffic> parts = trafficPerStep(plan);
    const auto found = std::ranges::find(parts, purpose, &MeshTraffic::purpose);
    return found == parts.end() ? 0 : found->bytes;
}

TEST_F(TaskPlans, BlocksOfVaceExchangeAsTheOthersDo) {
    Project project = projectOn("wan2.1-vace");
    project.attention = "tokamax_ring";
    project.iciContextParallelism = 4;
    const PlanPtr ring = plan(project);
    const std::int64_t width = ring->model.transformer.innerDim();
    ASSERT_EQ(ring->tokens, 48);
    // Both halves of guidance, two blocks and two of VACE, three shifts of keys and values of 12 tokens.
    EXPECT_EQ(traffic(*ring, "self-attention"), 2 * 4 * 3 * 2 * 12 * width * 4);
    EXPECT_EQ(traffic(*ring, "cross-attention"), 0);

    project.attention = "flash";
    project.iciContextParallelism = 1;
    project.iciTensorParallelism = 2;
    // Three sub-layers of four blocks, the projection in front of VACE's and the two behind them.
    EXPECT_EQ(traffic(*plan(project), "sums over the tensor axis"), 2 * (4 * 3 + 3) * 48 * width * 4);
}

TEST_F(TaskPlans, ImagesAreExchangedWithTheText) {
    Project project = projectOn("wan2.1-i2v");
    project.image = input("a.png");
    project.attention = "ulysses";
    project.iciContextParallelism = 4;
    project.maxSequenceLength = 64;
    const PlanPtr shared = plan(project);
    const std::int64_t width = shared->model.transformer.innerDim();
    // Of its quarter of the heads a device gets the others' queries and keys, and gives back outputs: of the
    // text's 64 tokens 16 are its own; of the image's 257 the last device has what three shares of 65 leave.
    const std::int64_t queries = 48 - 12;
    const auto received = [&](std::int64_t otherKeys) {
        return (width / 4 * (queries + 2 * otherKeys) + (width - width / 4) * 12) * 4;
    };
    EXPECT_EQ(traffic(*shared, "cross-attention"), 2 * 2 * (received(64 - 16) + received(257 - 62)));
}

TEST_F(TaskPlans, HoldTheVaesEncoderWhereTheyEncode) {
    const PlanPtr text = plan(projectOn("wan2.1-t2v"));
    Project withImage = projectOn("wan2.1-i2v");
    withImage.image = input("a.png");
    const PlanPtr image = plan(withImage);
    EXPECT_EQ(text->placement.find(PlacedPart::VaeEncoder), nullptr);
    EXPECT_NE(image->placement.find(PlacedPart::VaeEncoder), nullptr);
    const auto decoderOf = [](const RunPlan& of) {
        return static_cast<double>(of.model.vaeDecoderWeights.parameters) /
               static_cast<double>(of.model.vaeWeights.parameters);
    };
    EXPECT_LT(decoderOf(*image), 1.0);
    EXPECT_NEAR(static_cast<double>(text->memory.decoding.packed),
                decoderOf(*image) * static_cast<double>(image->memory.decoding.packed), 1.0);
}

TEST_F(TaskPlans, KeepKeysOfTextImageControlAndFaces) {
    const auto activations = [](const RunPlan& plan) {
        return static_cast<double>(plan.memory.device.activations);
    };
    // The same model without the images: what it keeps less are their keys and values.
    const auto kept = [&](Project project, const auto& change) {
        const PlanPtr with = plan(project);
        ModelFacts facts = with->model;
        change(facts.transformer);
        Workload work{.latentShape = with->latentShape,
                      .passFrames = with->passFrames(),
                      .tokens = with->tokens,
                      .guided = with->guided,
                      .placement = with->placement,
                      .workersPerDevice = 1,
                      .layout = with->layout};
        const double own = activations(*with);
        return own -
               static_cast<double>(
                   estimateMemory(with->project, facts, work, with->attentions.self).device.activations);
    };
    Project image = projectOn("wan2.1-i2v");
    image.image = input("a.png");
    const double width = static_cast<double>(plan(image)->model.transformer.innerDim());
    // Of two blocks, both halves of guidance, in f32.
    EXPECT_EQ(kept(image, [](WanTransformerConfig& config) { config.imageDim = 0; }),
              2 * 2 * 2 * 257 * width * f32);

    Project edit = projectOn("wan2.1-vace");
    const double textTokens =
        static_cast<double>(std::max(edit.prompt.size(), edit.negativePrompt.size()) + 3);
    ASSERT_LT(textTokens, static_cast<double>(edit.maxSequenceLength));
    // Keys and values of two more blocks, and the control stream of 48 tokens, kept for the second half.
    EXPECT_EQ(kept(edit, [](WanTransformerConfig& config) { config.vaceLayers.clear(); }),
              (2 * 2 * 2 * textTokens * width + 2 * 48 * width) * f32);

    Project animated = animation();
    animated.guidanceScale = 3;
    const PlanPtr faces = plan(animated);
    const double adapters = 2;  // one behind each block
    // Of each latent frame of a segment, the reference too, three tokens: two heads and a learned one.
    EXPECT_EQ(kept(animated, [](WanTransformerConfig& config) { config.animate.reset(); }),
              2 * adapters * 2 * static_cast<double>(faces->latentShape[2]) * 3 * width * f32);
}

TEST_F(TaskPlans, GuidedAttentionKeepsKeysOfTheNegativePromptInTheMainBlocks) {
    Project edit = projectOn("wan2.1-vace");
    edit.guidanceScale = 1;
    edit.negativePrompt = "blurred";
    const PlanPtr plain = plan(edit);
    EXPECT_FALSE(plain->readsNegativePrompt());
    edit.nagScale = 11;
    const PlanPtr guided = plan(edit);
    EXPECT_TRUE(guided->readsNegativePrompt());
    EXPECT_EQ(guided->attentionGuidance, (AttentionGuidance{.scale = 11, .tau = 2.5F, .alpha = 0.25F}));
    const auto width = static_cast<double>(guided->model.transformer.innerDim());
    const auto textTokens = static_cast<double>(std::max(edit.prompt.size(), edit.negativePrompt.size()) + 3);
    EXPECT_EQ(static_cast<double>(guided->memory.device.activations - plain->memory.device.activations),
              2 * 2 * textTokens * width * f32);
    const Work before = stepWork(*plain, plain->placement, 16);
    const Work after = stepWork(*guided, guided->placement, 16);
    EXPECT_GT(after[WorkClass::Softmax], before[WorkClass::Softmax]);
    EXPECT_EQ(after[WorkClass::LinearF32], before[WorkClass::LinearF32]);

    edit.attention = "ulysses";
    edit.iciContextParallelism = 4;
    const PlanPtr shared = plan(edit);
    edit.nagScale = 0;
    // Of four blocks with their attention to the text two attend to the negative prompt, too.
    EXPECT_EQ(2 * traffic(*shared, "cross-attention"), 3 * traffic(*plan(edit), "cross-attention"));
}

TEST_F(TaskPlans, ATimedPromptTakesMergingAndItsSums) {
    Project plainly = projectOn("wan2.1-vace");
    plainly.prompt = "a street a car comes it stops";
    plainly.activationsDtype = "bfloat16";
    Project timed = plainly;
    timed.prompt = "a street [0:50%] a car comes [50%:] it stops";
    const PlanPtr plain = plan(plainly);
    const PlanPtr parted = plan(timed);
    EXPECT_FALSE(plain->isTimed());
    EXPECT_TRUE(parted->isTimed());
    const Work before = stepWork(*plain, plain->placement, 16);
    const Work after = stepWork(*parted, parted->placement, 16);
    // Four parts, with the end and its padding, are merged in the two blocks and two of the control.
    const double width = static_cast<double>(plain->model.transformer.innerDim());
    EXPECT_DOUBLE_EQ(after[WorkClass::Activations] - before[WorkClass::Activations],
                     4 * 3 * 3 * f32 * static_cast<double>(plain->tokens) * width);
    EXPECT_EQ(after[WorkClass::Softmax], before[WorkClass::Softmax]);
    // The sums in f32 may need more than the feed-forward's room.
    EXPECT_GE(parted->memory.device.activations, plain->memory.device.activations);
}

TEST_F(TaskPlans, FramesHaveTheirTimesAndReferencesNone) {
    Project edit = projectOn("wan2.1-vace");
    edit.referenceImages = input("a.png");
    const PlanPtr referred = plan(edit);
    const std::vector<LatentTime> times = referred->frameTimes(0);
    ASSERT_EQ(std::ssize(times), referred->latentShape[2]);
    EXPECT_EQ(times[0], std::nullopt);
    EXPECT_EQ(times[1], 0.0);
    EXPECT_EQ(times.back(), static_cast<double>(referred->videoLatentFrames() - 1));
    const PlanPtr animated = plan(animation());
    ASSERT_EQ(animated->segments.count, 2);  // of 5 frames, one of them shared
    EXPECT_EQ(animated->frameTimes(1)[1], 1.0);
}

TEST_F(TaskPlans, HoldTheirVideosWhileTheyAreEncoded) {
    Project edit = projectOn("wan2.1-vace");
    edit.height = edit.width = 512;
    const PlanPtr planned = plan(edit);
    const double pixels = 512.0 * 512;
    const double latents = static_cast<double>(planned->latentShape.elements());
    // Video, mask and the two parts cut out of them, what the encoder holds of a chunk, and latents twice
    // eight times: those that are made, and those of the run.
    const double held = 4 * pixels * 9 * 3 + vaeEncodeElements(planned->model.vae, pixels, 4) + 16 * latents;
    EXPECT_NEAR(static_cast<double>(planned->memory.conditioning.activations), f32 * held, 16);

    Project image = projectOn("wan2.1-i2v");
    image.image = input("a.png");
    image.height = image.width = 512;
    const PlanPtr still = plan(image);
    const double less = 2 * pixels * 9 * 3;  // the video of grey frames, and a copy
    EXPECT_NEAR(static_cast<double>(planned->memory.conditioning.activations) -
                    static_cast<double>(still->memory.conditioning.activations),
                f32 * less, 16);
}

}  // namespace
}  // namespace meshreel
