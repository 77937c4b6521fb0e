// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/guidance_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr WanTask sources = WanTask::SourcesToVideo;

Project editOf(const std::string& video, const std::string& pictures) {
    Project project;
    project.video = video;
    project.referenceImages = pictures;
    project.guidanceScale = 4;
    project.guidanceScaleImage = 4.5;
    project.guidanceScaleVideo = 1.25;
    return project;
}

GuidedPass prompted(std::size_t groups, double scale) {
    return {.hearsPrompt = true, .groups = groups, .scale = scale};
}
GuidedPass unprompted(std::size_t groups, double scale = 1) {
    return {.hearsPrompt = false, .groups = groups, .scale = scale};
}

TEST(ChooseGuidance, GoesFromNothingOverTheVideoAndThePicturesToThePrompt) {
    const Project both = editOf("a.mp4", "a.png, b.png");
    EXPECT_EQ(countGroups(both, sources).all(), 3U);
    EXPECT_THAT(chooseGuidance(both, sources, 1, 1),
                ElementsAre(prompted(3, 4), unprompted(3, 4.5), unprompted(1, 1.25), unprompted(0)));
    EXPECT_THAT(chooseGuidance(editOf("", "a.png"), sources, 1, 1),
                ElementsAre(prompted(1, 4), unprompted(1, 4.5), unprompted(0)));
    EXPECT_THAT(chooseGuidance(editOf("a.mp4", ""), sources, 1, 1),
                ElementsAre(prompted(1, 4), unprompted(1)))
        << "a video alone is guided by the prompt";
    Project off = both;
    off.guidanceScale = 1;
    EXPECT_THAT(chooseGuidance(off, sources, 1, 1), ElementsAre(prompted(3, 1)));
}

TEST(ChooseGuidance, LeavesOutPassesWithoutWeight) {
    Project project = editOf("a.mp4", "a.png");
    project.guidanceScaleVideo = 1;
    EXPECT_THAT(chooseGuidance(project, sources, 1, 1),
                ElementsAre(prompted(2, 4), unprompted(2, 4.5), unprompted(1)));
    project.guidanceScaleImage = 1;
    EXPECT_THAT(chooseGuidance(project, sources, 1, 1), ElementsAre(prompted(2, 4), unprompted(2)));
    project.guidanceScaleVideo = 1.25;
    project.guidanceScaleImage = 4;
    const GuidedPasses merged = chooseGuidance(project, sources, 1, 1);
    EXPECT_THAT(merged, ElementsAre(prompted(2, 4), unprompted(1, 1.25), unprompted(0)))
        << "what pictures and prompt add is followed alike";
    EXPECT_FALSE(sharePass(merged, sources));
    project.guidanceScaleImage = 4.5;
    EXPECT_TRUE(sharePass(chooseGuidance(project, sources, 1, 1), sources));
}

TEST(ChooseGuidance, OfTheSecondExpertIsWeakerByOneFactor) {
    Project project = editOf("a.mp4", "a.png");
    project.guidanceScaleHigh = 4;
    project.guidanceScaleLow = 3.2;  // as omega_scale 0.8
    EXPECT_THAT(chooseGuidance(project, sources, 2, 1), SizeIs(4));
    EXPECT_THAT(chooseGuidance(project, sources, 2, 2),
                ElementsAre(prompted(2, 3.2), unprompted(2, 0.8 * 4.5), unprompted(1)))
        << "0.8 times 1.25 is 1";
    project.guidanceScaleLow = 1;
    EXPECT_THAT(chooseGuidance(project, sources, 2, 2), SizeIs(1));
    project.guidanceScaleHigh = 1;
    project.guidanceScaleLow = 4;
    EXPECT_THAT(chooseGuidance(project, sources, 2, 2),
                ElementsAre(prompted(2, 4), unprompted(2, 4.5), unprompted(1, 1.25), unprompted(0)))
        << "there is no scale to compare with";
}

TEST(ChooseGuidance, OfTheSecondExpertNeverGoesAwayFromASource) {
    Project project = editOf("a.mp4", "a.png");
    project.guidanceScaleHigh = 4;
    project.guidanceScaleLow = 2;
    EXPECT_THAT(chooseGuidance(project, sources, 2, 2),
                ElementsAre(prompted(2, 2), unprompted(2, 2.25), unprompted(1)))
        << "half of 1.25 is 1 at least";
    project.guidanceScaleVideo = 1;
    project.guidanceScaleLow = 8;
    EXPECT_THAT(chooseGuidance(project, sources, 2, 2),
                ElementsAre(prompted(2, 8), unprompted(2, 9), unprompted(1)))
        << "1 turns it off for both";
}

TEST(ChooseGuidance, SeesEqualScalesBehindAFactor) {
    Project project = editOf("", "a.png");
    for (const double low : {3.1, 3.3, 3.7, 2.9}) {
        project.guidanceScaleHigh = project.guidanceScaleImage = 4.9;
        project.guidanceScaleLow = low;
        EXPECT_THAT(chooseGuidance(project, sources, 2, 2), SizeIs(2)) << low;
    }
}

TEST(ChooseGuidance, OfOtherTasksHasTwoPassesAndOfPhantomThree) {
    Project project = editOf("", "a.png, b.png");
    EXPECT_THAT(chooseGuidance(project, WanTask::TextToVideo, 1, 1),
                ElementsAre(prompted(0, 4), unprompted(0)));
    EXPECT_THAT(chooseGuidance(project, WanTask::SubjectsToVideo, 1, 1),
                ElementsAre(prompted(1, 4), unprompted(1, 4.5), unprompted(0)));
    project.guidanceScaleImage = 4;
    EXPECT_THAT(chooseGuidance(project, WanTask::SubjectsToVideo, 1, 1), SizeIs(3));
    project.guidanceScaleImage = 0.5;
    EXPECT_THAT(chooseGuidance(project, WanTask::SubjectsToVideo, 1, 1), SizeIs(2));
    EXPECT_FALSE(sharePass(chooseGuidance(project, WanTask::MoveToVideo, 1, 1), WanTask::MoveToVideo));
}

}  // namespace
}  // namespace meshreel
