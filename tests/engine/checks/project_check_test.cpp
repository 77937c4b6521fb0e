// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/files.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/checks/project_check.h"
#include "engine/checks/prompt_lengths.h"
#include "engine/checks/task_choice.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/planning/plan_warnings.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "tests/support/locations.h"
#include "tests/support/random_adapter.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const ModelFamily& family(std::string_view name) {
    return *std::ranges::find(modelFamilies(), name, &ModelFamily::name);
}

TEST(ModelFamilies, AreToldApartByTheirTraits) {
    for (const ModelFamily& each : modelFamilies()) {
        EXPECT_EQ(findFamily(each.traits), &each) << each.name;
        EXPECT_EQ(familyOfArchitecture(std::string(each.name) + "-14b"), &each);
        EXPECT_EQ(each.defaults.width % each.sizeMultiple, 0) << each.name;
        EXPECT_EQ(each.defaults.height % each.sizeMultiple, 0) << each.name;
        EXPECT_EQ(each.traits.experts == 2, each.defaults.boundaryRatio > 0) << each.name;
        ASSERT_FALSE(each.tasks.empty());
    }
    EXPECT_EQ(findFamily({.extraChannels = 7}), nullptr);
    EXPECT_EQ(familyOfArchitecture("umt5-xxl"), nullptr);
}

/// A row of the table in docs/tasks.md.
std::string documented(const ModelFamily& family) {
    const FamilyDefaults& of = family.defaults;
    const std::string guidance =
        family.traits.experts == 1
            ? fmt::format("{}", of.guidance)
            : fmt::format("{} high, {} low, boundary {}", of.guidance, of.guidanceLow, of.boundaryRatio);
    return fmt::format("| {} | {} | {} | {}×{}, {} at {} | {} | {} | {} |", family.title, taskNames(family),
                       family.sizeMultiple, of.width, of.height, of.numFrames, of.fps, of.steps, of.flowShift,
                       guidance);
}

TEST(ModelFamilies, AreDocumentedAsTheyAre) {
    const std::string page = readFile(testing::sourceFolder() / "docs" / "tasks.md");
    for (const ModelFamily& each : modelFamilies())
        EXPECT_THAT(page, HasSubstr(documented(each)));
    for (const WanTaskRow& task : wanTasks())
        EXPECT_THAT(page, HasSubstr(fmt::format("| `{}` |", task.name)));
}

TEST(ChooseTask, FollowsFromTheInputs) {
    Project project = testing::smallProject();
    EXPECT_EQ(chooseTask(project, family("wan2.1-t2v")).task, WanTask::TextToVideo);
    EXPECT_EQ(chooseTask(project, family("wan2.2-ti2v")).task, WanTask::TextToVideo);
    project.video = "clip.mp4";
    EXPECT_EQ(chooseTask(project, family("wan2.1-t2v")).task, WanTask::VideoToVideo);
    EXPECT_EQ(chooseTask(project, family("wan2.1-vace")).task, WanTask::VaceEditing);
    project.video.clear();
    project.image = "cat.png";
    EXPECT_EQ(chooseTask(project, family("wan2.2-ti2v")).task, WanTask::ImageToVideo);
    EXPECT_EQ(chooseTask(project, family("wan2.2-i2v-a14b")).task, WanTask::ImageToVideo);
    project.lastImage = "dog.png";
    const TaskChoice both = chooseTask(project, family("wan2.2-i2v-a14b"));
    EXPECT_EQ(both.task, WanTask::FirstLastFrame);
    EXPECT_THAT(both.problems, IsEmpty());
}

TEST(ChooseTask, ABackgroundMakesAnAnimationAReplacement) {
    Project project = testing::smallProject();
    project.image = "cat.png";
    project.poseVideo = "poses.mp4";
    project.faceVideo = "faces.mp4";
    const TaskChoice moved = chooseTask(project, family("wan2.2-animate"));
    EXPECT_EQ(moved.task, WanTask::Animation);
    EXPECT_THAT(moved.problems, IsEmpty());
    project.backgroundVideo = "street.mp4";
    const TaskChoice put = chooseTask(project, family("wan2.2-animate"));
    EXPECT_EQ(put.task, WanTask::Replacement);
    EXPECT_THAT(put.problems, SizeIs(1));
    project.mask = "mask.mp4";
    EXPECT_THAT(chooseTask(project, family("wan2.2-animate")).problems, IsEmpty());
}

TEST(ChooseTask, PicturesOfSubjectsAreForPhantom) {
    Project project = testing::smallProject();
    const ModelFamily& phantom = family("wan2.1-phantom");
    EXPECT_EQ(chooseTask(project, phantom).task, WanTask::TextToVideo);
    EXPECT_FALSE(guidesImages(project, phantom));
    project.referenceImages = "cat.png, dog.png";
    EXPECT_EQ(chooseTask(project, phantom).task, WanTask::SubjectsToVideo);
    EXPECT_THAT(chooseTask(project, phantom).problems, IsEmpty());
    EXPECT_TRUE(guidesImages(project, phantom));
    EXPECT_TRUE(mayRead(project, phantom, "guidance_scale_image"));
    EXPECT_FALSE(mayRead(project, family("wan2.1-t2v"), "guidance_scale_image"));
    EXPECT_FALSE(mayRead(project, family("wan2.1-vace"), "guidance_scale_image"));
    EXPECT_FALSE(guidesImages(project, family("wan2.1-vace")));
    project.guidanceScaleImage = 1;
    EXPECT_FALSE(guidesImages(project, phantom));
    // Plain text to video has no use for them; the hint names who has.
    EXPECT_EQ(chooseTask(project, family("wan2.1-t2v")).problems.front().key, "reference_images");
    project.task = "phantom";
    EXPECT_THAT(chooseTask(project, family("wan2.1-t2v")).problems.front().hint(), HasSubstr("Phantom"));
}

TEST(ChooseTask, AClipIsContinuedByWhoCanBeginWithIt) {
    Project project = testing::smallProject();
    project.numFrames = 81;
    project.continueFrom = "before.mp4";
    const std::vector<std::pair<std::string_view, std::int64_t>> usual{{"wan2.1-t2v", 13},
                                                                       {"wan2.1-i2v", 1},
                                                                       {"wan2.2-i2v-a14b", 1},
                                                                       {"wan2.2-ti2v", 1},
                                                                       {"wan2.1-vace", 5}};
    for (const auto& [name, frames] : usual) {
        const TaskChoice choice = chooseTask(project, family(name));
        EXPECT_THAT(choice.problems, IsEmpty()) << name;
        EXPECT_EQ(continuedFrames(project, family(name), choice.task), frames) << name;
        EXPECT_TRUE(mayRead(project, family(name), "continue_from")) << name;
    }
    EXPECT_EQ(chooseTask(project, family("wan2.2-ti2v")).task, WanTask::ImageToVideo);
    for (const std::int64_t frames : {5, 9, 17, 21, 25, 29, 81}) {
        project.numFrames = frames;
        const std::int64_t shared = continuedFrames(project, family("wan2.1-t2v"), WanTask::TextToVideo);
        EXPECT_EQ(shared, std::min<std::int64_t>(13, frames - 4)) << frames;
        EXPECT_EQ(shared % 4, 1) << frames;
    }
    project.lastImage = "dog.png";
    EXPECT_EQ(chooseTask(project, family("wan2.2-i2v-a14b")).task, WanTask::FirstLastFrame);
    EXPECT_THAT(chooseTask(project, family("wan2.2-i2v-a14b")).problems, IsEmpty());
    project.lastImage.clear();
    project.image = "cat.png";
    EXPECT_THAT(chooseTask(project, family("wan2.1-i2v")).problems,
                ::testing::ElementsAre(testing::Fault("keys-given-both")));
    project.image.clear();
    project.continueFrames = 81;
    EXPECT_THAT(chooseTask(project, family("wan2.1-t2v")).problems,
                ::testing::ElementsAre(testing::Fault("clip-frames-too-many")));
    project.continueFrames = 0;
    project.numFrames = 1;
    EXPECT_THAT(chooseTask(project, family("wan2.1-t2v")).problems,
                ::testing::ElementsAre(testing::Fault("clip-frames-too-many")));
}

/// What each task needs, of files that nobody opens.
Project withInputsOf(WanTask task) {
    Project project = testing::smallProject();
    project.task = rowOf(task).name;
    project.numFrames = 81;
    for (const std::string_view key : rowOf(task).needs) {
        if (key == "keyframes")
            project.keyframes = {{.place = {.value = 40}, .image = "b.png"}};
        else
            project.*findInputKey(key)->member = "a.png";
    }
    if (task == WanTask::SourcesToVideo)
        project.video = "a.mp4";
    return project;
}

TEST(ChooseTask, EveryTaskGoesOnFromAClip) {
    for (const ModelFamily& each : modelFamilies())
        for (const WanTask task : each.tasks) {
            SCOPED_TRACE(std::string(each.name) + ", " + std::string(rowOf(task).name));
            if (followsSpeech(task))
                continue;  // its sound would go on, too
            Project project = withInputsOf(task);
            project.continueFrom = "before.mp4";
            if (rowOf(task).clip == ClipUse::Pictures)
                project.image.clear();
            EXPECT_THAT(chooseTask(project, each).problems, IsEmpty());
            EXPECT_EQ(continuedFrames(project, each, task), rowOf(task).continuedFrames);
            for (const char* key : {"continue_from", "continue_at", "continue_frames"})
                EXPECT_TRUE(mayRead(project, each, key)) << key;
            project.continueFrames = 5;
            EXPECT_EQ(continuedFrames(project, each, task), 5);
            EXPECT_THAT(chooseTask(project, each).problems, IsEmpty());
            const Project named = project;
            project.task = "auto";
            const bool isNamed = !isMadeFor(each, task) ||
                                 (task == WanTask::TextToVideo && offers(each, WanTask::ImageToVideo)) ||
                                 (task == WanTask::VideoToVideo && offers(each, WanTask::SourcesToVideo));
            if (!isNamed) {
                EXPECT_EQ(chooseTask(project, each).task, task) << "its inputs say so";
            }
            project = named;
            project.image = "a.png";
            if (rowOf(task).clip == ClipUse::Pictures) {
                EXPECT_THAT(chooseTask(project, each).problems,
                            ::testing::Contains(testing::Fault("keys-given-both")));
            }
        }
}

TEST(ChooseTask, AnAnimationGoesOnAsItsSegmentsDo) {
    const ModelFamily& animates = family("wan2.2-animate");
    Project project = withInputsOf(WanTask::Animation);
    project.continueFrom = "before.mp4";
    EXPECT_THAT(chooseTask(project, animates).problems, IsEmpty()) << "image is the character";
    project.prevSegmentConditioningFrames = 5;
    EXPECT_EQ(continuedFrames(project, animates, WanTask::Animation), 5);
    project.continueFrames = 9;
    const std::vector<Problem> problems = chooseTask(project, animates).problems;
    ASSERT_THAT(problems, ::testing::ElementsAre(testing::Fault("clip-frames-too-many")));
    EXPECT_EQ(problems.front().fixes.front().changes.front().value, "5");
    project.continueFrames = 5;
    project.segmentFrameLength = 5;
    project.prevSegmentConditioningFrames = 1;
    const std::vector<Problem> whole = chooseTask(project, animates).problems;
    ASSERT_THAT(whole, ::testing::ElementsAre(testing::Fault("clip-frames-too-many")));
    EXPECT_EQ(whole.front().fixes.front().changes.front().value, "1") << "a segment makes something";
}

TEST(KeepsImage, OfTheAnchorOfAChainAndOfACharacter) {
    Project project = testing::smallProject();
    project.image = "anna.png";
    EXPECT_FALSE(keepsImage(project));
    project.poseVideo = "dance.mp4";
    EXPECT_TRUE(keepsImage(project));
    project.task = "i2v";
    EXPECT_FALSE(keepsImage(project));
    project.task = "replace";
    project.poseVideo.clear();
    EXPECT_TRUE(keepsImage(project));
    project.task = "auto";
    project.video = "dance.mp4";
    EXPECT_FALSE(keepsImage(project)) << "Fun Control";
    project.model = "models/wan2.2-animate-2-14b";
    EXPECT_TRUE(keepsImage(project));
    project.video.clear();
    EXPECT_FALSE(keepsImage(project));
    project.lora = {{.file = "SVI_v2_PRO_HIGH.safetensors"}};
    EXPECT_TRUE(keepsImage(project));
}

TEST(ChooseTask, AdaptersOfStableVideoInfinityMakeAChain) {
    for (const char* name : {"SVI_v2_PRO_Wan2.2-I2V-A14B_HIGH_lora_rank_128_fp16.safetensors",
                             "loras/SVI_Wan2.2-I2V-A14B_low_noise_lora_v2.0_pro.safetensors"})
        EXPECT_TRUE(isChainAdapter(name)) << name;
    for (const char* name :
         {"SVI_Wan2.1-I2V-14B_lora_v2.0.safetensors", "prompt-style.safetensors",
          "Svitlana_profile.safetensors", "svi_v1_prompt.safetensors", "svi_project.safetensors",
          "wan_pro_svi.safetensors", "svi/pro/style.safetensors"})
        EXPECT_FALSE(isChainAdapter(name)) << name;
    Project project = testing::smallProject();
    project.image = "anchor.png";
    project.lora = {{.file = "SVI_v2_PRO_HIGH.safetensors"}, {.file = "SVI_v2_PRO_LOW.safetensors"}};
    const ModelFamily& a14b = family("wan2.2-i2v-a14b");
    EXPECT_THAT(chooseTask(project, a14b).problems, IsEmpty());
    EXPECT_TRUE(chainsClips(project, a14b, WanTask::ImageToVideo));
    EXPECT_EQ(continuedFrames(project, a14b, WanTask::ImageToVideo), 0) << "the first clip";
    project.continueFrom = "before";
    EXPECT_THAT(chooseTask(project, a14b).problems, IsEmpty()) << "the anchor stands beside the clip";
    EXPECT_EQ(continuedFrames(project, a14b, WanTask::ImageToVideo), 4);
    project.image.clear();
    EXPECT_THAT(chooseTask(project, a14b).problems,
                ::testing::ElementsAre(testing::Fault("task-input-missing")));
    project.image = "anchor.png";
    const auto half = ::testing::ElementsAre(testing::Fault("adapter-remark"));
    project.lora.pop_back();
    EXPECT_THAT(chooseTask(project, a14b).problems, half);
    project.lora.push_back({.file = "SVI_v2_PRO_HIGH_rank_64.safetensors"});
    EXPECT_THAT(chooseTask(project, a14b).problems, half) << "two of the high noise";
    project.lora.back().expert = ExpertChoice::Low;
    EXPECT_THAT(chooseTask(project, a14b).problems, IsEmpty()) << "the project says which expert";
}

TEST(ChooseTask, AChainNeedsAModelWithChannelsForIt) {
    Project project = testing::smallProject();
    project.numFrames = 81;
    project.lora = {{.file = "SVI_v2_PRO_HIGH.safetensors"}};
    project.continueFrom = "before";
    const ModelFamily& ti2v = family("wan2.2-ti2v");
    EXPECT_FALSE(chainsClips(project, ti2v, WanTask::ImageToVideo));
    EXPECT_EQ(continuedFrames(project, ti2v, WanTask::ImageToVideo), 1);
    EXPECT_THAT(chooseTask(project, ti2v).problems, IsEmpty()) << "the clip's last frame is the image";
    project.image = "anchor.png";
    EXPECT_THAT(chooseTask(project, ti2v).problems,
                ::testing::ElementsAre(testing::Fault("keys-given-both")));
    EXPECT_TRUE(chainsClips(project, family("wan2.1-i2v"), WanTask::ImageToVideo));
}

TEST(ChooseTask, TracksAreForAti) {
    Project project = testing::smallProject();
    const ModelFamily& ati = family("wan2.1-ati");
    project.image = "cat.png";
    EXPECT_EQ(chooseTask(project, ati).task, WanTask::ImageToVideo);
    project.tracks = "tracks.json";
    EXPECT_EQ(chooseTask(project, ati).task, WanTask::TracksToVideo);
    EXPECT_THAT(chooseTask(project, ati).problems, IsEmpty());
    EXPECT_TRUE(mayRead(project, ati, "tracks"));
    EXPECT_FALSE(mayRead(project, family("wan2.1-i2v"), "tracks"));
    EXPECT_EQ(chooseTask(project, family("wan2.1-i2v")).problems.front().key, "tracks");
    project.image.clear();
    EXPECT_THAT(chooseTask(project, ati).problems.front(),
                AllOf(testing::Fault("task-input-missing"), testing::Names("image")));
}

TEST(ChooseTask, TracksAreForWanMoveToo) {
    Project project = testing::smallProject();
    const ModelFamily& move = family("wan2.1-move");
    project.image = "cat.png";
    EXPECT_EQ(chooseTask(project, move).task, WanTask::ImageToVideo);
    EXPECT_FALSE(partsGuidance(WanTask::ImageToVideo));
    project.tracks = "tracks.npy";
    project.trackVisibility = "visible.npy";
    EXPECT_EQ(chooseTask(project, move).task, WanTask::MoveToVideo);
    EXPECT_TRUE(partsGuidance(WanTask::MoveToVideo));
    EXPECT_THAT(chooseTask(project, move).problems, IsEmpty());
    EXPECT_THAT(chooseTask(project, family("wan2.1-ati")).problems, IsEmpty());
    project.tracks.clear();
    project.task = "i2v";
    EXPECT_EQ(chooseTask(project, move).problems.front().key, "track_visibility");
}

TEST(ChooseTask, ADrivingVideoIsForAnimate2OrForWhatTheTaskSaysIsIt) {
    Project project = testing::smallProject();
    project.image = "cat.png";
    project.video = "dance.mp4";
    for (const char* name : {"wan2.2-animate2", "wan2.2-animate2-distilled"}) {
        EXPECT_EQ(chooseTask(project, family(name)).task, WanTask::DrivenAnimation) << name;
        EXPECT_THAT(chooseTask(project, family(name)).problems, IsEmpty()) << name;
        EXPECT_TRUE(mayRead(project, family(name), "driving_keys")) << name;
    }
    const ModelFamily& image = family("wan2.1-i2v");
    EXPECT_EQ(chooseTask(project, image).task, WanTask::ImageToVideo);
    EXPECT_EQ(chooseTask(project, image).problems.front().key, "video");
    EXPECT_FALSE(mayRead(project, image, "video"));
    EXPECT_FALSE(mayRead(project, image, "segment_frame_length"));
    project.task = "animate2";
    EXPECT_THAT(chooseTask(project, image).problems, IsEmpty());
    EXPECT_TRUE(mayRead(project, image, "driving_keys"));
    EXPECT_THAT(chooseTask(project, family("wan2.1-flf2v")).problems.front(),
                testing::Fault("task-not-offered"));
    project.video.clear();
    EXPECT_THAT(chooseTask(project, image).problems.front(),
                AllOf(testing::Fault("task-input-missing"), testing::Names("video")));
}

TEST(ChooseTask, WhatTheModelDoesNotDoIsAProblemWithWhatDoes) {
    Project project = testing::smallProject();
    project.image = "cat.png";
    const TaskChoice choice = chooseTask(project, family("wan2.1-t2v"));
    ASSERT_THAT(choice.problems, SizeIs(1));
    EXPECT_EQ(choice.problems.front().key, "image");
    EXPECT_THAT(choice.problems.front(), testing::Fault("task-not-offered"));
    EXPECT_THAT(choice.problems.front().message, HasSubstr(std::string(family("wan2.1-t2v").title)));
    EXPECT_THAT(choice.problems.front().hint(), HasSubstr(std::string(family("wan2.1-i2v").title)));
    project.task = "vace";
    EXPECT_EQ(chooseTask(project, family("wan2.1-t2v")).problems.front().key, "task");
}

TEST(ChooseTask, MissingAndUselessInputsAreProblems) {
    Project project = testing::smallProject();
    const TaskChoice without = chooseTask(project, family("wan2.1-i2v"));
    ASSERT_THAT(without.problems, SizeIs(1));
    EXPECT_THAT(without.problems.front(),
                AllOf(testing::Fault("task-input-missing"), testing::Names("image")));
    project.image = "cat.png";
    EXPECT_THAT(chooseTask(project, family("wan2.1-i2v")).problems, IsEmpty());
    project.mask = "mask.png";
    EXPECT_EQ(chooseTask(project, family("wan2.1-i2v")).problems.front().key, "mask");

    Project edit = testing::smallProject();
    edit.mask = "mask.png";
    EXPECT_EQ(chooseTask(edit, family("wan2.1-vace")).problems.front().key, "mask");
    edit.video = "clip.mp4";
    edit.referenceImages = "a.png, b.png";
    EXPECT_THAT(chooseTask(edit, family("wan2.1-vace")).problems, IsEmpty());
}

TEST(ProjectCheck, ASpeakerMakesOneVideoClipByClip) {
    const std::optional<ModelFacts> model = releasedModelFacts("Wan2.2-S2V-14B");
    ASSERT_TRUE(model.has_value());
    EXPECT_EQ(model->family->name, "wan2.2-s2v");
    Project project = withInputsOf(WanTask::SpeechToVideo);
    project.task = "auto";
    EXPECT_EQ(chooseTask(project, *model->family).task, WanTask::SpeechToVideo);
    EXPECT_FALSE(hasErrors(check(project, &*model)));
    project.batchSeeds = "1, 2";
    EXPECT_THAT(check(project, &*model), ::testing::Contains(testing::Fault("batch-too-large")));
    project.batchSeeds.clear();
    project.contextFrames = 17;
    EXPECT_THAT(check(project, &*model), ::testing::Contains(testing::Fault("context-windows-not-for-task")));
    project.contextFrames = 0;
    project.continueFrom = "before.mp4";
    EXPECT_THAT(check(project, &*model), ::testing::Contains(testing::Fault("task-input-unused")));
}

TEST(MayRead, IsAskedOfKeysThatTheTableOfTasksNames) {
    for (const WanTaskRow& task : wanTasks())
        for (const auto& keys : {task.needs, task.takes, task.settings})
            for (const std::string_view key : keys)
                EXPECT_NE(findProjectKey(key), nullptr) << task.name << " " << key;
}

TEST(MayRead, LeavesOutWhatTheModelCannotDo) {
    const Project project = testing::smallProject();
    const ModelFamily& text = family("wan2.1-t2v");
    EXPECT_TRUE(mayRead(project, text, "prompt"));
    EXPECT_TRUE(mayRead(project, text, "video"));
    EXPECT_TRUE(mayRead(project, text, "strength"));
    EXPECT_FALSE(mayRead(project, text, "image"));
    EXPECT_FALSE(mayRead(project, text, "segment_frame_length"));
    EXPECT_TRUE(mayRead(project, family("wan2.2-i2v-a14b"), "last_image"));
    EXPECT_TRUE(mayRead(project, family("wan2.1-vace"), "conditioning_scale"));
    EXPECT_FALSE(mayRead(project, family("wan2.1-vace"), "strength"));
    EXPECT_TRUE(mayRead(project, family("wan2.2-animate"), "background_video"));
}

TEST(MayRead, FollowsTheTaskThatIsNamed) {
    Project project = testing::smallProject();
    const ModelFamily& animates = family("wan2.2-animate");
    project.task = "animate";
    EXPECT_TRUE(mayRead(project, animates, "pose_video"));
    EXPECT_FALSE(mayRead(project, animates, "background_video"));
    EXPECT_TRUE(mayRead(project, family("wan2.1-t2v"), "pose_video"));  // whose model is still to be chosen
}

using ::testing::Contains;
using ::testing::Field;

constexpr std::uint64_t plentyForFindings = std::uint64_t{1} << 40;

auto warnsAt(const std::string& key, ProblemId id) {
    return Contains(
        AllOf(Field(&Problem::key, key), testing::Fault(id), Field(&Problem::severity, Severity::Warning)));
}

TEST(PlanFindings, WarningsStandAtTheirKeys) {
    const PlanPtr plan = makePlan(testing::smallProject(), {.workers = 8, .memoryBytes = plentyForFindings});
    RunTask task = *plan;
    MemoryEstimate memory = plan->memory;
    EXPECT_THAT(planWarnings(task, memory, 8), IsEmpty());
    EXPECT_THAT(planWarnings(task, memory, 4), warnsAt("workers", "cpus-oversubscribed"));

    memory.available = memory.peak() + 1;
    EXPECT_THAT(planWarnings(task, memory, 8), warnsAt("memory_budget", "memory-tight"));

    task.project.fps = Project().fps;
    ModelFamily other = *task.model.family;
    other.defaults.fps = 24;
    task.model.family = &other;
    EXPECT_THAT(planWarnings(task, memory, 8), warnsAt("fps", "frame-rate-differs"));
    const std::vector<Problem> found = planWarnings(task, memory, 8);
    ASSERT_EQ(found.front().fixes.size(), 1U);
    EXPECT_EQ(found.front().fixes[0].changes, (KeyChanges{{.key = "fps", .value = "24"}}));
}

TEST(PlanFindings, AdaptersWarnOfKeysThatFitNothing) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "half.safetensors";
    Project project = testing::smallProject();
    testing::writeRandomAdapter(file, Checkpoint::open(findModel(project.model) / "transformer"));
    project.lora = {{.file = file.string()}};
    const AdapterFindings findings = adapterFindings(*makePlan(project, {.memoryBytes = plentyForFindings}));
    EXPECT_THAT(findings.notes, IsEmpty());
    ASSERT_EQ(findings.warnings.size(), 1U);
    EXPECT_EQ(findings.warnings[0].key, "lora");
    EXPECT_THAT(findings.warnings[0], AllOf(testing::Fault("adapter-partly-fits"), testing::Names("1")));
    EXPECT_THAT(findings.warnings[0].hint(), AllOf(HasSubstr("blocks.0.attn1.to_q.weight"), HasSubstr("77")));
}

TEST(PlanFindings, AdaptersThatFitAreNotes) {
    Project project = testing::smallProject();
    project.preset = "distill-4";
    const AdapterFindings findings = adapterFindings(*makePlan(project, {.memoryBytes = plentyForFindings}));
    EXPECT_THAT(findings.warnings, IsEmpty());
    ASSERT_EQ(findings.notes.size(), 1U);
    EXPECT_EQ(findings.notes[0].key, "preset");
    EXPECT_THAT(findings.notes[0], testing::Fault("adapter-works"));
    EXPECT_FALSE(findings.notes[0].hint().empty());
}

std::string words(int count) {
    std::string text;
    for (int word = 0; word < count; ++word)
        text += "ball ";
    return text + "sunset";
}

TEST(PromptLength, ACutPromptIsSaidWithItsNumbersAndPlace) {
    PromptLengths lengths;
    Project project;
    project.prompt = words(10);
    EXPECT_THAT(lengths.warnings(project, findModel(project.model)), IsEmpty());
    project.prompt = words(700);
    const std::vector<Problem> found = lengths.warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().key, "prompt");
    EXPECT_EQ(found.front().severity, Severity::Warning);
    EXPECT_THAT(found.front(), AllOf(testing::Fault("prompt-cut"), testing::Names("512")));
    EXPECT_THAT(testing::valuesOf(found.front()), Contains(::testing::StartsWith("ball")));
}

TEST(PromptLength, TheNegativePromptCountsWhereGuidanceReadsIt) {
    PromptLengths lengths;
    Project project;
    project.prompt = "a ball";
    project.negativePrompt = words(700);
    const std::vector<Problem> found = lengths.warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().key, "negative_prompt");
    project.guidanceScale = 1;
    EXPECT_THAT(lengths.warnings(project, findModel(project.model)), IsEmpty());
}

TEST(PromptLength, EachPromptOfABatchIsMeasured) {
    Project project;
    project.batchPrompts = "a ball\n" + words(700) + "\na cat";
    project.batchSeeds = "1, 2";
    const std::vector<Problem> found = PromptLengths().warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found.front().message, HasSubstr("prompt 2 of batch_prompts has"));
}

TEST(PromptLength, AShorterLimitOffersTheTrainedOne) {
    Project project;
    project.prompt = words(100);
    project.maxSequenceLength = 64;
    const std::vector<Problem> found = PromptLengths().warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().fixes.front().changes.front().value, "512");
}

TEST(PromptLength, EachPartIsCountedByWhatItAddsToTheOnesBefore) {
    Project project;
    const auto countAlone = [&project](const std::string& prompt) {
        Project alone = project;
        alone.prompt = prompt;
        return PromptLengths().parts(alone, findModel(project.model)).front().tokens.size();
    };
    project.prompt = "a red ball [0:50%] moving right on black [50%:] a blue cube";
    const std::vector<PromptPart> parts = PromptLengths().parts(project, findModel(project.model));
    ASSERT_THAT(parts, SizeIs(3));
    EXPECT_EQ(parts[0].span, std::nullopt);
    EXPECT_EQ(parts[1].span, (PromptSpan{0, 0.5}));
    EXPECT_EQ(parts[2].text, "a blue cube");
    EXPECT_EQ(parts[0].tokens, (ShardRange{0, countAlone("a red ball")}));
    EXPECT_EQ(parts[1].tokens.begin, parts[0].tokens.end);
    EXPECT_EQ(parts[2].tokens.begin, parts[1].tokens.end);
    EXPECT_EQ(parts[2].tokens.end, countAlone("a red ball moving right on black a blue cube"));
    project.prompt = "[0:50%] a ball [50%:] a cube";
    EXPECT_THAT(PromptLengths().parts(project, findModel(project.model)), SizeIs(2))
        << "nothing holds all the time";
}

TEST(PromptLength, WhatIsCutOfAPartHasNoTokens) {
    Project project;
    project.prompt = "[0:50%] " + words(100) + " [50%:] a blue cube";
    project.maxSequenceLength = 32;
    const std::vector<PromptPart> parts = PromptLengths().parts(project, findModel(project.model));
    ASSERT_THAT(parts, SizeIs(2));
    EXPECT_EQ(parts[0].tokens, (ShardRange{0, 31}));
    EXPECT_EQ(parts[1].tokens.size(), 0);
    EXPECT_THAT(PromptLengths().warnings(project, findModel(project.model)), SizeIs(1));
}

TEST(PromptLength, MarksAreNotCounted) {
    Project project;
    project.maxSequenceLength = 12;
    project.prompt = "[0:20%] a [20%:40%] b [40%:60%] c [60%:] d";
    EXPECT_THAT(PromptLengths().warnings(project, findModel(project.model)), IsEmpty());
}

TEST(PromptLength, TextsOfContextWindowsAreMeasuredEach) {
    Project project;
    project.contextFrames = 9;
    project.prompt = "a ball | " + words(700);
    const std::vector<Problem> found = PromptLengths().warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found.front().message, HasSubstr("part 2 of prompt has"));
}

TEST(PromptLength, WithoutATokenizerNothingIsKnown) {
    Project project;
    project.prompt = words(700);
    EXPECT_THAT(PromptLengths().warnings(project, "/nowhere"), IsEmpty());
    EXPECT_THAT(PromptLengths().warnings(project, {}), IsEmpty());
}

}  // namespace

}  // namespace meshreel
