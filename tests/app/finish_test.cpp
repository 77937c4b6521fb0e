// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/tensor.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;

class FinishCommand : public testing::RunnerTest {
  protected:
    [[nodiscard]] std::string video(std::int64_t frames) const {
        Tensor pictures = Tensor::zeros({frames, 48, 64, 3}, DType::U8);
        std::int64_t place = 0;
        for (std::uint8_t& value : pictures.data<std::uint8_t>()) {
            const std::int64_t column = place / 3 % 64;
            const std::int64_t frame = place / (48 * 64 * 3);
            value = static_cast<std::uint8_t>((column + 4 * frame) * 3 % 256);
            ++place;
        }
        VideoOptions options;
        options.fps = 10.0;
        return writeVideo(file("clip.mp4"), pictures, options).file.string();
    }

    [[nodiscard]] static std::string weights(const std::string& goldenCase) {
        return (testing::testData() / "golden" / goldenCase / "weights.safetensors").string();
    }
};

TEST_F(FinishCommand, MakesTheVideoThatWasAskedFor) {
    const std::string out = file("out.mp4").string();
    const ProcessResult result =
        meshreel({"finish", video(4), "--interpolate", "2", "--interpolator", weights("rife_46"), "--upscale",
                  "2", "--upscaler", weights("esrgan_x2"), "-o", out});
    ASSERT_EQ(result.exitCode, Done) << result.out << result.err;
    const VideoInfo info = probeVideo(out);
    EXPECT_EQ(info.frames, 8);
    EXPECT_EQ(info.width, 128);
    EXPECT_NEAR(info.fps, 20, 1e-6);
    EXPECT_THAT(meshreel({"inspect", out}).out, HasSubstr("meshreel finish --interpolate 2"));
}

TEST_F(FinishCommand, APlanMakesNothing) {
    const ProcessResult result =
        meshreel({"finish", video(4), "--upscale", "2", "-o", file("out.mp4").string(), "--plan"});
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_THAT(result.out, HasSubstr("128x96"));
    EXPECT_FALSE(std::filesystem::exists(file("out.mp4")));
}

TEST_F(FinishCommand, WhatIsMissingIsAskedFor) {
    const ProcessResult unnamed =
        meshreel({"finish", video(4), "--interpolate", "2", "-o", file("out.mp4").string()});
    EXPECT_EQ(unnamed.exitCode, BadProject);
    EXPECT_THAT(unnamed.err, HasSubstr("--interpolator"));
    EXPECT_EQ(meshreel({"finish", video(4), "--upscale", "2", "--upscaler", weights("rife_46"), "-o",
                        file("out.mp4").string()})
                  .exitCode,
              BadInput);
    for (const char* name : {"out.gif", "out.png", "out.mov"}) {
        const ProcessResult other =
            meshreel({"finish", video(4), "--upscale", "2", "-o", file(name).string()});
        EXPECT_EQ(other.exitCode, BadProject) << name;
        EXPECT_THAT(other.err, HasSubstr(".webm"));
    }
}

TEST_F(FinishCommand, InspectNamesTheNetworks) {
    EXPECT_THAT(meshreel({"inspect", weights("rife_426")}).out, HasSubstr("4.25, 4.26"));
    const nlohmann::json described =
        nlohmann::json::parse(meshreel({"inspect", weights("srvgg_x4"), "--json"}).out);
    EXPECT_EQ(described.at("scale"), 4);
}

TEST_F(FinishCommand, ARunFinishesItsVideo) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["interpolate"] = "2";
    keys["interpolator"] = "blend";
    keys["upscale"] = "2";
    const ProcessResult result = meshreel({"run", project(keys), "--out", file("run").string()});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    const VideoInfo info = probeVideo(file("run") / "finished.mp4");
    EXPECT_EQ(info.frames, 10);
    EXPECT_EQ(info.width, 64);
    EXPECT_THAT(readFile(file("run") / "summary.txt"), HasSubstr("Finished video made in"));
    EXPECT_EQ(probeVideo(file("run") / "video.mp4").frames, 5);
    // A GIF is not finished: refused before anything is decoded.
    EXPECT_EQ(meshreel({"decode", file("run").string(), "--set", "video_format=gif"}).exitCode, BadProject);
    EXPECT_EQ(meshreel({"decode", file("run").string(), "--set", "fps=8"}).exitCode, Done);
    EXPECT_NEAR(probeVideo(file("run") / "finished.mp4").fps, 16, 1e-6);
}

TEST_F(FinishCommand, AProjectThatCannotBeFinishedIsRefusedBeforeItRuns) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["interpolate"] = "2";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("finish-needs-weights"));
    keys["interpolator"] = weights("esrgan_x4");
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("finish-weights-unusable"));
    keys["interpolator"] = "blend";
    keys["video_format"] = "gif";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("finish-not-for-format"));
}

}  // namespace
}  // namespace meshreel
