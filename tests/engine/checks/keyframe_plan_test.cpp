// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/keyframe_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/checks/project_check.h"
#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project_keys.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using testing::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Facts of a family as planning asks for them here.
ModelFacts factsOf(std::string_view family) {
    ModelFacts facts;
    facts.family = &*std::ranges::find(modelFamilies(), family, &ModelFamily::name);
    return facts;
}

Project withPicturesAt(std::int64_t numFrames, const std::vector<std::int64_t>& frames) {
    Project project = testing::smallProject();
    project.numFrames = numFrames;
    for (const std::int64_t frame : frames)
        project.keyframes.push_back(
            {.place = {.value = static_cast<double>(frame)}, .image = fmt::format("{}.png", frame)});
    return project;
}

std::vector<std::string> placesOf(const KeyframePlan& plan) {
    std::vector<std::string> places;
    for (const PlannedKeyframe& picture : plan.pictures)
        places.push_back(fmt::format("{}: {}-{} in {}{}", picture.asked, picture.frame, picture.last(),
                                     picture.latentFrame, picture.isBetween ? " between" : ""));
    return places;
}

TEST(KeyframePlan, OfAMaskHasFramesAtTheEndsOfLatents) {
    const KeyframePlan plan = planKeyframes(withPicturesAt(17, {16, 9, 0, 3}), factsOf("wan2.2-i2v-a14b"));
    EXPECT_EQ(plan.way, KeyframeWay::Mask);
    EXPECT_THAT(placesOf(plan),
                ElementsAre("0: 0-0 in 0", "3: 4-4 in 1 between", "9: 8-8 in 2 between", "16: 16-16 in 4"));
    EXPECT_EQ(plan.pictures.front().index, 2U);
    // Beside the ends there is no place between.
    EXPECT_THAT(placesOf(planKeyframes(withPicturesAt(17, {1, 15}), factsOf("wan2.1-i2v"))),
                ElementsAre("1: 4-4 in 1 between", "15: 12-12 in 3 between"));
}

TEST(KeyframePlan, OfTokenTimesHasWholeLatents) {
    const KeyframePlan plan = planKeyframes(withPicturesAt(17, {0, 6, 16}), factsOf("wan2.2-ti2v"));
    EXPECT_EQ(plan.way, KeyframeWay::TokenTimes);
    EXPECT_THAT(placesOf(plan), ElementsAre("0: 0-0 in 0", "6: 5-8 in 2", "16: 16-16 in 4"));
}

TEST(KeyframePlan, FirstAndLastImageStandBesideKeyframes) {
    Project project = withPicturesAt(9, {4});
    project.image = "first.png";
    project.lastImage = "last.png";
    const KeyframePlan plan = planKeyframes(project, factsOf("wan2.2-i2v-one"));
    ASSERT_THAT(plan.pictures, SizeIs(3));
    EXPECT_EQ(plan.pictures[0].key, "image");
    EXPECT_EQ(plan.pictures[2].key, "last_image");
    EXPECT_EQ(plan.pictures[2].frame, 8);
    project.keyframes.clear();
    EXPECT_THAT(planKeyframes(project, factsOf("wan2.2-i2v-one")).pictures, IsEmpty());
}

/// VACE reads the mask of latent i from frame floor((i + 1/2) F / T).
TEST(KeyframePlan, OfAControlMarksItsLatentAndNoOther) {
    const ModelFacts vace = factsOf("wan2.1-vace");
    for (std::int64_t frames = 1; frames <= 161; frames += 4) {
        const std::int64_t latents = (frames - 1) / 4 + 1;
        std::int64_t free = 0;
        for (std::int64_t latent = 0; latent < latents; ++latent) {
            const PlannedKeyframe picture =
                planKeyframes(withPicturesAt(frames, {4 * latent}), vace).pictures.front();
            ASSERT_EQ(picture.latentFrame, latent);
            EXPECT_GE(picture.frame, free) << latent << " of " << latents;
            free = picture.last() + 1;
            EXPECT_LT(picture.last(), frames);
            EXPECT_LE(picture.frame, 4 * latent);
            EXPECT_GE(picture.last(), 4 * latent);
            for (std::int64_t other = 0; other < latents; ++other) {
                const auto source =
                    static_cast<std::int64_t>((static_cast<double>(other) + 0.5) *
                                              static_cast<double>(frames) / static_cast<double>(latents));
                EXPECT_EQ(source >= picture.frame && source <= picture.last(), other == latent)
                    << "latent " << other << " by the picture of " << latent << ", " << frames << " frames";
            }
        }
    }
}

TEST(KeyframePlan, CloserPicturesThanLatentsAreRefused) {
    const Project close = withPicturesAt(17, {5, 7});
    for (const char* family : {"wan2.2-i2v-a14b", "wan2.2-ti2v", "wan2.1-vace"}) {
        std::vector<Problem> problems = keyframeProblems(close, factsOf(family));
        if (std::string_view(family) == "wan2.2-i2v-a14b")
            continue;  // 5 goes to 4, and 7 to 8
        ASSERT_THAT(problems, SizeIs(1)) << family;
        EXPECT_THAT(problems.front(), Fault("keyframes-too-close"));
        Project mended = close;
        setFromText(mended, *findProjectKey("keyframes"),
                    problems.front().fixes.front().changes.front().value);
        EXPECT_FALSE(hasErrors(keyframeProblems(mended, factsOf(family))));
    }
    EXPECT_THAT(keyframeProblems(withPicturesAt(17, {7, 9}), factsOf("wan2.2-i2v-a14b")).front(),
                Fault("keyframes-too-close"));
}

TEST(KeyframePlan, AMovedPictureIsToldWithTheFrameThatItGets) {
    const Project asked = withPicturesAt(17, {0, 9});
    const std::vector<Problem> problems = keyframeProblems(asked, factsOf("wan2.2-i2v-a14b"));
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_THAT(problems.front(), Fault("keyframe-moved"));
    EXPECT_EQ(problems.front().severity, Severity::Warning);
    Project mended = asked;
    setFromText(mended, *findProjectKey("keyframes"), problems.front().fixes.front().changes.front().value);
    EXPECT_EQ(mended.keyframes[1].place.value, 8);
    EXPECT_THAT(keyframeProblems(mended, factsOf("wan2.2-i2v-a14b")), IsEmpty());
    // Who counts in percent leaves the frame to the model.
    Project half = withPicturesAt(17, {});
    half.keyframes = {{.place = {.unit = PlaceUnit::Percent, .value = 55}, .image = "a.png"}};
    EXPECT_THAT(keyframeProblems(half, factsOf("wan2.2-i2v-a14b")), IsEmpty());
}

TEST(KeyframePlan, AClipWithoutAPlaceBetweenIsTooShort) {
    const std::vector<Problem> problems =
        keyframeProblems(withPicturesAt(5, {2}), factsOf("wan2.2-i2v-a14b"));
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_THAT(problems.front(), Fault("value-below-least"));
    EXPECT_EQ(problems.front().fixes.front().changes.front().value, "9");
}

TEST(KeyframePlan, PicturesStandBehindTheLatentsOfTheClipBefore) {
    Project project = withPicturesAt(17, {5, 16});
    project.continueFrom = "before";
    project.continueFrames = 5;
    // In frames 5 to 8 of the first new latent; a mask would take frame 4, which is of the clip before.
    EXPECT_THAT(placesOf(planKeyframes(project, factsOf("wan2.2-i2v-a14b"))),
                ElementsAre("5: 8-8 in 2 between", "16: 16-16 in 4"));
    EXPECT_THAT(placesOf(planKeyframes(project, factsOf("wan2.2-ti2v"))),
                ElementsAre("5: 5-8 in 2", "16: 16-16 in 4"));
    EXPECT_THAT(placesOf(planKeyframes(withPicturesAt(17, {5}), factsOf("wan2.2-i2v-a14b"))),
                ElementsAre("5: 4-4 in 1 between"))
        << "without one";
    project.numFrames = 9;
    project.keyframes.pop_back();
    const std::vector<Problem> problems = keyframeProblems(project, factsOf("wan2.2-i2v-a14b"));
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_THAT(problems.front(), Fault("value-below-least"));
    EXPECT_EQ(problems.front().fixes.front().changes.front().value, "13");
    EXPECT_THAT(keyframeProblems(project, factsOf("wan2.2-ti2v")), IsEmpty());
}

TEST(KeyframePlan, ClipSeesTheEndOfTheClipBeforeInPlaceOfTheEarliest) {
    Project project = withPicturesAt(17, {8, 16});
    project.continueFrom = "before";
    const auto seenBy = [&](std::string_view family) {
        const ModelFacts facts = factsOf(family);
        return seenPictures(planKeyframes(project, facts), *facts.family);
    };
    EXPECT_THAT(seenBy("wan2.1-i2v"), IsEmpty());
    ASSERT_THAT(seenBy("wan2.1-flf2v"), SizeIs(1));
    EXPECT_EQ(seenBy("wan2.1-flf2v").front().asked, 16);
    project.keyframes.pop_back();
    EXPECT_THAT(keyframeProblems(project, factsOf("wan2.1-flf2v")), IsEmpty()) << "that is the other one";
}

TEST(KeyframePlan, ClipSeesTheEarliestAndForTwoPositionsTheLatest) {
    const Project project = withPicturesAt(17, {8, 4});
    const auto seenBy = [&](std::string_view family) {
        const ModelFacts facts = factsOf(family);
        std::vector<std::int64_t> frames;
        for (const PlannedKeyframe& seen : seenPictures(planKeyframes(project, facts), *facts.family))
            frames.push_back(seen.asked);
        return frames;
    };
    EXPECT_THAT(seenBy("wan2.1-i2v"), ElementsAre(4));
    EXPECT_THAT(seenBy("wan2.1-flf2v"), ElementsAre(4, 8));
    EXPECT_THAT(seenBy("wan2.2-i2v-a14b"), IsEmpty());
    EXPECT_THAT(keyframeProblems(withPicturesAt(17, {8}), factsOf("wan2.1-flf2v")).front(),
                Fault("keyframes-too-few"));
}

TEST(ChooseTask, KeyframesAreForModelsThatTakeThem) {
    const Project project = withPicturesAt(17, {0, 8});
    for (const char* family : {"wan2.1-i2v", "wan2.1-ati", "wan2.1-move", "wan2.1-flf2v", "wan2.2-i2v-a14b",
                               "wan2.2-i2v-one", "wan2.2-ti2v"}) {
        const TaskChoice choice = chooseTask(project, *factsOf(family).family);
        EXPECT_EQ(choice.task, WanTask::KeyframesToVideo) << family;
        EXPECT_THAT(choice.problems, IsEmpty()) << family;
        EXPECT_TRUE(mayRead(Project(), *factsOf(family).family, "keyframes")) << family;
    }
    const TaskChoice edit = chooseTask(project, *factsOf("wan2.1-vace").family);
    EXPECT_EQ(edit.task, WanTask::VaceEditing);
    EXPECT_THAT(edit.problems, IsEmpty());
    for (const char* family : {"wan2.1-t2v", "wan2.1-phantom", "wan2.2-animate"}) {
        const TaskChoice refused = chooseTask(project, *factsOf(family).family);
        ASSERT_THAT(refused.problems, SizeIs(1)) << family;
        EXPECT_THAT(refused.problems.front(), Fault("task-not-offered"));
        EXPECT_EQ(refused.problems.front().key, "keyframes");
        EXPECT_THAT(refused.problems.front().hint(), HasSubstr("Wan 2.1 VACE editing"));
        EXPECT_THAT(refused.problems.front().hint(), HasSubstr("Wan 2.2 image to video, two experts"));
        EXPECT_FALSE(mayRead(Project(), *factsOf(family).family, "keyframes")) << family;
    }
}

TEST(ChooseTask, AKeyframeInTheClipBeforeIsMovedBehindIt) {
    Project project = withPicturesAt(17, {2, 16});
    project.continueFrom = "before";
    project.continueFrames = 5;
    for (const char* name : {"wan2.2-i2v-a14b", "wan2.2-ti2v", "wan2.1-vace"}) {
        const ModelFamily& family = *factsOf(name).family;
        const std::vector<Problem> problems = chooseTask(project, family).problems;
        ASSERT_THAT(problems, SizeIs(1)) << name;
        EXPECT_THAT(problems.front(), Fault("keys-given-both"));
        ASSERT_THAT(problems.front().fixes, SizeIs(2));
        for (const Fix& fix : problems.front().fixes) {
            Project mended = project;
            setFromText(mended, *findProjectKey("keyframes"), fix.changes.front().value);
            EXPECT_THAT(chooseTask(mended, family).problems, IsEmpty()) << name;
        }
    }
}

TEST(ChooseTask, AnotherNamedTaskSendsKeyframesToTheirs) {
    Project project = withPicturesAt(17, {8});
    project.image = "first.png";
    project.task = "i2v";
    const TaskChoice choice = chooseTask(project, *factsOf("wan2.2-i2v-a14b").family);
    ASSERT_THAT(choice.problems, SizeIs(1));
    EXPECT_THAT(choice.problems.front(), Fault("task-input-unused"));
    EXPECT_EQ(choice.problems.front().fixes.front().changes.front().value, "keyframes");
}

TEST(ChooseTask, TheTaskOfKeyframesOnVaceIsItsOwn) {
    Project project = withPicturesAt(17, {8});
    project.task = "keyframes";
    const TaskChoice choice = chooseTask(project, *factsOf("wan2.2-vace-a14b").family);
    ASSERT_THAT(choice.problems, SizeIs(1));
    EXPECT_THAT(choice.problems.front(), Fault("task-not-offered"));
    project.task = choice.problems.front().fixes.front().changes.front().value;
    EXPECT_THAT(chooseTask(project, *factsOf("wan2.2-vace-a14b").family).problems, IsEmpty());
}

TEST(MayRead, WhatGoesBesideKeyframesIsShownWithThem) {
    const ModelFamily& family = *factsOf("wan2.1-i2v").family;
    EXPECT_FALSE(mayRead(Project(), family, "last_image"));
    EXPECT_TRUE(mayRead(withPicturesAt(17, {8}), family, "last_image"));
}

}  // namespace
}  // namespace meshreel
