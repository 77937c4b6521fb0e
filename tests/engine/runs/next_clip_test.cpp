// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/next_clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/project/project.h"

namespace meshreel {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::Not;

TEST(NextClip, BeginsWithTheClipInPlaceOfAnImageAndKeepsAnchorAndCharacter) {
    Project project;
    project.image = "anna.png";
    const auto image = Contains(Field(&KeyChange::key, "image"));
    EXPECT_THAT(continuingChanges(project, "/runs/first", {}), image);
    project.lora = {{.file = "other.safetensors"}, {.file = "SVI_v2_PRO_HIGH.safetensors"}};
    EXPECT_THAT(continuingChanges(project, "/runs/first", {}), Not(image));
    project.lora.clear();
    project.poseVideo = "dance.mp4";
    EXPECT_THAT(continuingChanges(project, "/runs/first", {}), Not(image));
}

}  // namespace
}  // namespace meshreel
