// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts through the real runner and the embedded model, judged by what the decoded MP4 shows.
#include "engine/measure/evaluation/clip_measures.h"
#include "engine/media/video_reader.h"
#include "runner.h"

namespace meshreel {
namespace {

struct PromptCase {
    std::string name;
    std::string prompt;
    std::string_view colour;
    std::string_view background;
    std::string_view motion;
};

void PrintTo(const PromptCase& each, std::ostream* out) {
    *out << each.name;
}

class GeneratedVideo : public testing::RunnerTest, public ::testing::WithParamInterface<PromptCase> {};

INSTANTIATE_TEST_SUITE_P(
    Prompts, GeneratedVideo,
    ::testing::Values(
        PromptCase{"RedRight", "a red ball moving right on a black background", "red", "black", "right"},
        PromptCase{"BlueLeft", "a blue square moving left on a white background", "blue", "white", "left"},
        PromptCase{"YellowUp", "a yellow star moving up on a navy background", "yellow", "navy", "up"},
        PromptCase{"CyanDown", "a cyan ring moving down on a gray background", "cyan", "gray", "down"},
        PromptCase{"WhiteRight", "on a dark green background there is a white triangle moving right", "white",
                   "dark green", "right"}),
    [](const auto& each) { return each.param.name; });

TEST_P(GeneratedVideo, ShowsWhatThePromptSays) {
    const testing::ProcessResult result =
        meshreel({"run", project(testing::trainedRun(GetParam().prompt)), "--out", file("run").string()});
    ASSERT_EQ(result.exitCode, 0) << result.err;

    const Tensor clip = readVideo(file("run") / "video.mp4");
    ASSERT_EQ(clip.shape().text(), "[17, 64, 64, 3]");
    const ClipFindings findings = measureClip(clip);
    ASSERT_TRUE(findings.present);
    EXPECT_EQ(findings.colour, GetParam().colour);
    EXPECT_EQ(findings.background, GetParam().background);
    EXPECT_EQ(findings.motion, GetParam().motion);
}

}  // namespace
}  // namespace meshreel
