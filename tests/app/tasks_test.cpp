// SPDX-License-Identifier: GPL-3.0-or-later
// Every family of models through the real runner.
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/measure/evaluation/evaluation_data.h"
#include "engine/media/image.h"
#include "engine/media/sound_samples.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/project/project_file.h"
#include "family_test.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::ProjectKeys;

using Tasks = testing::FamilyTest;

TEST_F(Tasks, EveryFamilyMakesAVideo) {
    for (const ModelFamily& family : modelFamilies()) {
        SCOPED_TRACE(family.name);
        const fs::path folder =
            run(projectOn(family.name, family.tasks.front()), "run-" + std::string(family.name));
        EXPECT_TRUE(fs::exists(folder / "video.mp4"));
    }
}

TEST_F(Tasks, WhatIsSaidIsHeardUnderTheVideo) {
    ProjectKeys keys = projectOn("wan2.2-s2v", WanTask::SpeechToVideo);
    const fs::path said = run(keys, "said") / "video.mp4";
    EXPECT_EQ(probeVideo(said).frames, 17) << "as long as the sound";
    EXPECT_NEAR(soundSeconds(said), 17.0 / 16, 0.1);
    keys["audio"] = "none";
    EXPECT_EQ(soundSeconds(run(keys, "silent") / "video.mp4"), 0.0);
}

TEST_F(Tasks, TheShippedProjectMakesAVideoThatBeginsWithItsPicture) {
    const fs::path configs = testing::sourceFolder() / "configs";
    const ProcessResult result = meshreel({"run", (configs / "image-to-video.yaml").string(), "--out",
                                           file("run").string(), "--set", "num_inference_steps=8"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const Tensor frames = readVideo(file("run") / "video.mp4");
    const std::optional<double> kept = firstFrameKept(frames, readImage(configs / "first-frame.png"));
    ASSERT_TRUE(kept.has_value());
    EXPECT_GT(*kept, 20.0) << "dB";
}

/// docs/embedded-model.md has the numbers of 24 steps.
TEST_F(Tasks, TheEmbeddedModelComesNearerToAKeyframe) {
    const std::string shipped = (testing::sourceFolder() / "configs" / "image-to-video.yaml").string();
    constexpr std::int64_t middle = 8;
    const auto middleOf = [&](const std::string& name, const std::vector<std::string>& changes) {
        std::vector<std::string> command{
            "run", shipped, "--out", file(name).string(), "--set", "num_inference_steps=12"};
        for (const std::string& change : changes)
            command.insert(command.end(), {"--set", change});
        const ProcessResult result = meshreel(command);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return readVideo(file(name) / "video.mp4").slice(middle, middle + 1);
    };
    const Tensor picture = middleOf("right", {"prompt=a green ball moving right on a navy background"});
    writePng(file("mid.png"), picture.reshaped({picture.extent(1), picture.extent(2), 3}));
    const Tensor wanted = readImage(file("mid.png"));
    const std::optional<double> without = firstFrameKept(middleOf("without", {}), wanted);
    const std::optional<double> with = firstFrameKept(
        middleOf("with", {"keyframes=[{frame: 8, image: " + file("mid.png").string() + "}]"}), wanted);
    ASSERT_TRUE(without && with);
    EXPECT_GT(*with, *without + 1) << "dB";
}

TEST_F(Tasks, ARunKeepsItsInputsAndCanBeRepeatedFromThem) {
    ProjectKeys keys = projectOn("wan2.2-i2v-a14b");
    keys["image"] = "first.png";
    const fs::path first = run(keys, "first");
    EXPECT_EQ(readFile(first / "inputs" / "image.png"), readFile(file("first.png")));
    EXPECT_THAT(readFile(first / "project.yaml"), HasSubstr("image: inputs/image.png"));
    EXPECT_THAT(readFile(first / "steps.csv"), HasSubstr(",2,full\n"));
    const nlohmann::json timings = readJsonObject(first / "timings.json");
    EXPECT_GT(timings.at("vae_encode"), 0);
    EXPECT_LT(timings.at("vae_encode"), timings.at("conditioning"));
    fs::remove(file("first.png"));
    const fs::path second = file("second");
    const ProcessResult repeated =
        meshreel({"run", (first / "project.yaml").string(), "--out", second.string()});
    ASSERT_EQ(repeated.exitCode, 0) << repeated.err;
    EXPECT_EQ(readFile(second / "latents.safetensors"), readFile(first / "latents.safetensors"));
}

TEST_F(Tasks, KeyframesArePlannedKeptAndRepeatedWithTheirPlaces) {
    for (const char* family : {"wan2.2-i2v-a14b", "wan2.2-ti2v", "wan2.1-vace"}) {
        SCOPED_TRACE(family);
        ProjectKeys keys = projectOn(family);
        keys["num_frames"] = "9";
        keys["keyframes"] = "[{frame: 0, image: first.png}, {percent: 100, image: last.png}]";
        const ProcessResult plan = meshreel({"plan", project(keys)});
        EXPECT_THAT(plan.out, ::testing::ContainsRegex("Keyframes: +first.png at frame.*last.png at frame"))
            << plan.err;
        const std::string name = std::string(family);
        const fs::path first = run(keys, name);
        EXPECT_EQ(readFile(first / "inputs" / "keyframes-2.png"), readFile(file("last.png")));
        EXPECT_THAT(
            readFile(first / "project.yaml"),
            HasSubstr("keyframes: [{frame: 0, image: inputs/keyframes-1.png}, {percent: 100.0, image: "
                      "inputs/keyframes-2.png}]"));
        const fs::path second = file(name + "-again");
        const ProcessResult repeated =
            meshreel({"run", (first / "project.yaml").string(), "--out", second.string()});
        ASSERT_EQ(repeated.exitCode, 0) << repeated.err;
        EXPECT_EQ(readFile(second / "latents.safetensors"), readFile(first / "latents.safetensors"));
    }
    ProjectKeys keys = projectOn("wan2.1-t2v");
    keys["keyframes"] = "[{frame: 0, image: first.png}]";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("task-not-offered"));
    keys["keyframes"] = "[{frame: 0, image: nothing.png}]";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("input-missing"));
}

TEST_F(Tasks, AVideoIsMadeAgainWithPartOfTheSteps) {
    ProjectKeys keys = projectOn("wan2.1-t2v");
    keys["video"] = "clip";
    keys["strength"] = "0.5";
    const fs::path folder = run(keys, "half");
    EXPECT_EQ(testing::stepRows(folder), 2U);
    EXPECT_THAT(meshreel({"inspect", folder.string()}).out, HasSubstr("steps: 2 of 2"));
}

TEST_F(Tasks, ACharacterIsAnimatedOnAnyMesh) {
    ProjectKeys keys = projectOn("wan2.2-animate");
    keys["image"] = "first.png";
    keys["pose_video"] = "clip";
    keys["face_video"] = "clip";
    keys["segment_frame_length"] = "5";
    const fs::path one = run(keys, "one");
    keys["devices"] = "2";
    const fs::path two = run(keys, "two");
    EXPECT_TRUE(fs::exists(one / "inputs" / "pose_video" / "frame_00001.png"));
    EXPECT_EQ(testing::stepRows(one), testing::stepRows(two));

    keys["background_video"] = "clip";
    keys["mask"] = "first.png";
    const fs::path replaced = run(keys, "replaced");
    EXPECT_NE(readFile(replaced / "latents.safetensors"), readFile(two / "latents.safetensors"));
    EXPECT_THAT(meshreel({"plan", project(keys)}).out, HasSubstr("2 devices"));
}

TEST_F(Tasks, ACharacterMovesAsADrivingVideoDoes) {
    ProjectKeys keys = projectOn("wan2.2-animate2");
    keys["image"] = "first.png";
    keys["video"] = "clip";
    keys["segment_frame_length"] = "5";
    keys["num_inference_steps"] = "2";
    const fs::path kept = run(keys, "kept");
    EXPECT_TRUE(fs::exists(kept / "inputs" / "video" / "frame_00001.png"));
    keys["driving_keys"] = "recomputed";
    const fs::path again = run(keys, "again");
    EXPECT_TRUE(readFile(again / "latents.safetensors") == readFile(kept / "latents.safetensors"));
    keys["driving_keys"] = "int8";
    EXPECT_THAT(meshreel({"plan", project(keys)}).out, HasSubstr("keys int8"));
    const fs::path rounded = run(keys, "rounded");
    EXPECT_NE(readFile(rounded / "latents.safetensors"), readFile(kept / "latents.safetensors"));
    keys["video"] = "first.png";  // stands still, however long
    keys["num_frames"] = "9";
    keys["fps"] = "24";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::IsEmpty());
    keys["context_frames"] = "5";
    keys["context_overlap"] = "4";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("context-windows-not-for-task"));
}

TEST_F(Tasks, AMeasuredCurveShortensARun) {
    const ProjectKeys plain = projectOn("wan2.1-vace");
    const fs::path curve = file("curve.json");
    const ProcessResult measured = meshreel({"calibrate", "magcache", project(plain), "-o", curve.string()});
    ASSERT_EQ(measured.exitCode, 0) << measured.err;
    EXPECT_EQ(readJsonObject(curve).at("mag_ratios_base").size(), 8U);

    const fs::path uncached = run(plain, "uncached");
    ProjectKeys keys = plain;
    keys["use_magcache"] = "true";
    keys["mag_ratios_file"] = "curve.json";
    keys["magcache_thresh"] = "10";
    keys["retention_ratio"] = "0";
    keys["compare_with"] = uncached.string();
    const fs::path cached = run(keys, "cached");
    EXPECT_THAT(readFile(cached / "steps.csv"), HasSubstr(",no_blocks\n"));
    const ProcessResult inspected = meshreel({"inspect", cached.string()});
    EXPECT_THAT(inspected.out, ::testing::AllOf(HasSubstr("2 of 4"), HasSubstr("PSNR")));
}

TEST_F(Tasks, OneFrameIsAnImage) {
    ProjectKeys keys = projectOn("wan2.1-t2v");
    keys["num_frames"] = "1";
    keys["video_format"] = "png";
    const fs::path folder = run(keys, "image");
    EXPECT_EQ(readImage(folder / "preview.png").shape(), (Shape{32, 32, 3}));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "video"), fs::directory_iterator()), 1);
}

TEST_F(Tasks, AnInputThatCannotBeReadIsToldWithItsLineByEveryCommand) {
    ProjectKeys keys = projectOn("wan2.2-i2v-a14b");
    writeFileAtomically(file("text.png"), "this is no picture");
    keys["image"] = "text.png";
    const std::string written = project(keys);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"validate", written},
                                                    {"plan", written},
                                                    {"run", written, "--out", file("run").string()}}) {
        const ProcessResult refused = meshreel(command);
        EXPECT_EQ(refused.exitCode, 2) << command.front();
        EXPECT_THAT(refused.err, ::testing::ContainsRegex("project.yaml:[0-9]+: image: .*text.png: "));
    }
    EXPECT_THAT(faultsIn({"validate", written}), ::testing::Contains("input-unusable"));
    EXPECT_FALSE(fs::exists(file("run")));
}

TEST_F(Tasks, WhatBecomesOfAnInputAndOfALongPromptIsPlanned) {
    ProjectKeys keys = projectOn("wan2.1-t2v");
    VideoOptions options;
    options.fps = 60;
    keys["video"] =
        writeVideo(file("fast"), Tensor::zeros({60, 32, 32, 3}, DType::U8), options).file.string();
    keys["prompt"].clear();
    for (int word = 0; word < 600; ++word)
        keys["prompt"] += "ball ";
    const auto sampled = ::testing::ContainsRegex("fast\\.mp4: 60 [^.]* 16[^0-9]");
    const ProcessResult plan = meshreel({"plan", project(keys)});
    EXPECT_THAT(plan.out, sampled) << plan.err;
    EXPECT_THAT(faultsIn({"plan", project(keys)}), ::testing::Contains("prompt-cut"));
    EXPECT_THAT(meshreel({"plan", project(keys), "--json"}).out, sampled);
    const ProcessResult valid = meshreel({"validate", project(keys)});
    EXPECT_EQ(valid.exitCode, 0) << valid.err;
    EXPECT_THAT(valid.out, sampled);
    EXPECT_THAT(valid.err, HasSubstr("512"));
    EXPECT_THAT(faultsIn({"validate", project(keys)}), ::testing::Contains("prompt-cut"));
}

TEST_F(Tasks, WhatIsMissingIsToldWithItsLine) {
    ProjectKeys keys = projectOn("wan2.2-i2v-a14b");
    const ProcessResult without = meshreel({"run", project(keys), "--out", file("a").string()});
    EXPECT_EQ(without.exitCode, 2);
    EXPECT_THAT(without.err, HasSubstr("needs image"));
    keys["image"] = "nowhere.png";
    const ProcessResult missing = meshreel({"run", project(keys), "--out", file("b").string()});
    EXPECT_EQ(missing.exitCode, 2);
    EXPECT_THAT(missing.err, HasSubstr("nowhere.png"));
    EXPECT_THAT(missing.err, ::testing::ContainsRegex("project.yaml:[0-9]+"));
    EXPECT_FALSE(fs::exists(file("b")));
    keys["image"] = "first.png";
    keys["mask"] = "first.png";
    EXPECT_THAT(meshreel({"run", project(keys), "--out", file("c").string()}).err, HasSubstr("mask"));
}

}  // namespace
}  // namespace meshreel
