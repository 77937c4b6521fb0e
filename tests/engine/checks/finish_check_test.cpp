// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/finish_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

std::string goldenWeights(const std::string& goldenCase) {
    return (testing::testData() / "golden" / goldenCase / "weights.safetensors").string();
}

/// The id and the key of the only problem; empty for none.
std::string finishFaultOf(const Project& project) {
    const std::vector<Problem> problems = finishProblems(project);
    EXPECT_LE(problems.size(), 1U);
    return problems.empty() ? std::string()
                            : std::string(problems.front().id.name()) + " " + problems.front().key;
}

TEST(FinishProblems, ProjectsThatFinishNothingHaveNone) {
    Project project;
    project.interpolator = "/nowhere.pth";
    project.videoFormat = "gif";
    EXPECT_EQ(finishFaultOf(project), "");
}

TEST(FinishProblems, FramesNeedWhatMakesThem) {
    Project project;
    project.interpolate = 2;
    EXPECT_EQ(finishFaultOf(project), "finish-needs-weights interpolator");
    project.interpolator = "blend";
    EXPECT_EQ(finishFaultOf(project), "");
    project.interpolator = goldenWeights("rife_46");
    EXPECT_EQ(finishFaultOf(project), "");
    project.interpolator = goldenWeights("srvgg_x4");
    EXPECT_EQ(finishFaultOf(project), "finish-weights-unusable interpolator");
    project.interpolator = "/nowhere.pth";
    EXPECT_EQ(finishFaultOf(project), "finish-weights-unusable interpolator");
}

TEST(FinishProblems, LargerPicturesNeedNoNetwork) {
    Project project;
    project.upscale = 2;
    EXPECT_EQ(finishFaultOf(project), "");
    project.upscaler = "lanczos";
    EXPECT_EQ(finishFaultOf(project), "");
    project.upscaler = goldenWeights("esrgan_x2");
    EXPECT_EQ(finishFaultOf(project), "");
    project.upscaler = "blend";  // a word of the other key is the name of a file
    EXPECT_EQ(finishFaultOf(project), "finish-weights-unusable upscaler");
}

TEST(FinishProblems, OnlyContainersWithSoundAreFinished) {
    Project project;
    project.upscale = 2;
    project.videoFormat = "webp";
    EXPECT_EQ(finishFaultOf(project), "finish-not-for-format video_format");
    project.videoFormat = "webm";
    EXPECT_EQ(finishFaultOf(project), "");
}

}  // namespace
}  // namespace meshreel
