// SPDX-License-Identifier: GPL-3.0-or-later
// Every family of models through the real runner.
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/media/image.h"
#include "engine/models/model_family.h"
#include "engine/project/project_file.h"
#include "engine/weights/json_file.h"
#include "runner.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::ProjectKeys;

class Tasks : public testing::RunnerTest {
  protected:
    /// A project on a tiny model of the family, beside two pictures and a clip.
    [[nodiscard]] ProjectKeys projectOn(std::string_view family) {
        const fs::path model = file("model");
        fs::remove_all(model);
        testing::makeTinyModel(model, testing::tinyModelOf(family));
        writePicture("first.png", 41, 58, 200);
        writePicture("last.png", 30, 20, 60);
        for (int frame = 0; frame < 5; ++frame)
            writePicture("clip/frame_0000" + std::to_string(frame + 1) + ".png", 36, 40, 30 * frame);
        ProjectKeys keys = testing::smallRun();
        keys["pretrained_model_name_or_path"] = model.string();
        return keys;
    }

    void writePicture(const std::string& name, std::int64_t height, std::int64_t width, int red) const {
        Tensor picture = Tensor::zeros({height, width, 3}, DType::U8);
        for (std::size_t i = 0; i < picture.bytes(); i += 3)
            picture.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(red);
        fs::create_directories(file(name).parent_path());
        writePng(file(name), picture);
    }

    [[nodiscard]] fs::path run(const ProjectKeys& keys, const std::string& name) const {
        const fs::path folder = file(name);
        const ProcessResult result = meshreel({"run", project(keys), "--out", folder.string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return folder;
    }
};

TEST_F(Tasks, EveryFamilyMakesAVideo) {
    for (const ModelFamily& family : modelFamilies()) {
        SCOPED_TRACE(family.name);
        ProjectKeys keys = projectOn(family.name);
        const std::span<const std::string_view> needs = rowOf(family.tasks.front()).needs;
        if (std::ranges::find(needs, "image") != needs.end())
            keys["image"] = "first.png";
        if (std::ranges::find(needs, "last_image") != needs.end())
            keys["last_image"] = "last.png";
        const fs::path folder = run(keys, "run-" + std::string(family.name));
        EXPECT_TRUE(fs::exists(folder / "video.mp4"));
    }
}

TEST_F(Tasks, ARunKeepsItsInputsAndCanBeRepeatedFromThem) {
    ProjectKeys keys = projectOn("wan2.2-i2v-a14b");
    keys["image"] = "first.png";
    const fs::path first = run(keys, "first");
    EXPECT_EQ(readFile(first / "inputs" / "image.png"), readFile(file("first.png")));
    EXPECT_THAT(readFile(first / "project.yaml"), HasSubstr("image: inputs/image.png"));
    EXPECT_THAT(readFile(first / "steps.csv"), HasSubstr(",2\n"));
    fs::remove(file("first.png"));
    const fs::path second = file("second");
    const ProcessResult repeated =
        meshreel({"run", (first / "project.yaml").string(), "--out", second.string()});
    ASSERT_EQ(repeated.exitCode, 0) << repeated.err;
    EXPECT_EQ(readFile(second / "latents.safetensors"), readFile(first / "latents.safetensors"));
}

TEST_F(Tasks, AVideoIsMadeAgainWithPartOfTheSteps) {
    ProjectKeys keys = projectOn("wan2.1-t2v");
    keys["video"] = "clip";
    keys["strength"] = "0.5";
    EXPECT_EQ(testing::stepRows(run(keys, "half")), 2U);
}

TEST_F(Tasks, OneFrameIsAnImage) {
    ProjectKeys keys = projectOn("wan2.1-t2v");
    keys["num_frames"] = "1";
    const fs::path folder = run(keys, "image");
    EXPECT_EQ(readImage(folder / "preview.png").shape(), (Shape{32, 32, 3}));
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
