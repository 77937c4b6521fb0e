// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts through the real runner and the embedded model, judged by what the decoded MP4 shows.
#include <fmt/format.h>

#include "clip_content.h"
#include "engine/media/video_reader.h"
#include "runner.h"

namespace meshreel {
namespace {

constexpr double clearMove = 0.15;  // of the picture

struct PromptCase {
    std::string name;
    std::string prompt;
    std::string colour;
    std::string background;
    int right;  // sign of the expected displacement
    int down;
};

void PrintTo(const PromptCase& each, std::ostream* out) {
    *out << each.name;
}

class GeneratedVideo : public testing::RunnerTest, public ::testing::WithParamInterface<PromptCase> {};

INSTANTIATE_TEST_SUITE_P(
    Prompts, GeneratedVideo,
    ::testing::Values(
        PromptCase{"RedRight", "a red ball moving right on a black background", "red", "black", 1, 0},
        PromptCase{"BlueLeft", "a blue square moving left on a white background", "blue", "white", -1, 0},
        PromptCase{"YellowUp", "a yellow star moving up on a navy background", "yellow", "navy", 0, -1},
        PromptCase{"CyanDown", "a cyan ring moving down on a gray background", "cyan", "gray", 0, 1},
        PromptCase{"WhiteRight", "on a dark green background there is a white triangle moving right", "white",
                   "dark green", 1, 0}),
    [](const auto& each) { return each.param.name; });

/// 1, -1 or 0 for a clear move along the axis on which the object moves most.
int direction(double along, double across) {
    if (std::abs(along) < std::abs(across) || std::abs(along) < clearMove)
        return 0;
    return along > 0 ? 1 : -1;
}

TEST_P(GeneratedVideo, ShowsWhatThePromptSays) {
    const testing::ProcessResult result =
        meshreel({"run", project(testing::trainedRun(GetParam().prompt)), "--out", file("run").string()});
    ASSERT_EQ(result.exitCode, 0) << result.err;

    const Tensor clip = readVideo(file("run") / "video.mp4");
    ASSERT_EQ(clip.shape().text(), "[17, 64, 64, 3]");
    const testing::ClipContent content = testing::describeClip(clip);
    SCOPED_TRACE(fmt::format("right {:.2f}, down {:.2f}, area {:.3f}", content.right, content.down,
                             content.shareOfPicture));
    EXPECT_EQ(content.colour, GetParam().colour);
    EXPECT_EQ(content.background, GetParam().background);
    EXPECT_EQ(direction(content.right, content.down), GetParam().right);
    EXPECT_EQ(direction(content.down, content.right), GetParam().down);
    EXPECT_GT(content.shareOfPicture, 0.004);
    EXPECT_LT(content.shareOfPicture, 0.7);
}

}  // namespace
}  // namespace meshreel
