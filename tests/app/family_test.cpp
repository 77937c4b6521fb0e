// SPDX-License-Identifier: GPL-3.0-or-later
#include "family_test.h"

#include "engine/media/image.h"
#include "tests/support/tiny_model.h"
#include "tests/support/wav.h"

namespace meshreel::testing {
namespace fs = std::filesystem;
namespace {

/// A file that FamilyTest writes for a project's input.
std::string_view fileFor(std::string_view input) {
    if (input.ends_with("video"))
        return "clip";
    if (input == "speech")
        return "voice.wav";
    if (input == "keyframes")
        return "[{frame: 0, image: first.png}]";
    return input == "last_image" ? "last.png" : "first.png";
}

}  // namespace

ProjectKeys FamilyTest::projectOn(std::string_view family) const {
    const fs::path model = file("model");
    fs::remove_all(model);
    makeTinyModel(model, tinyModelOf(family));
    writePicture("first.png", 41, 58, 200);
    writePicture("last.png", 30, 20, 60);
    for (int frame = 0; frame < 5; ++frame)
        writePicture("clip/frame_0000" + std::to_string(frame + 1) + ".png", 36, 40, 30 * frame);
    constexpr int rate = 16'000;
    writeWav(file("voice.wav"), rate, 1, rate,
             [](int sample, int) { return sample / 20 % 2 == 0 ? 0.25 : -0.25; });
    ProjectKeys keys = smallRun();
    keys["pretrained_model_name_or_path"] = model.string();
    return keys;
}

ProjectKeys FamilyTest::projectOn(std::string_view family, WanTask task) const {
    ProjectKeys keys = projectOn(family);
    const WanTaskRow& row = rowOf(task);
    for (const std::string_view input : row.needs.empty() ? row.takes : row.needs)
        if (input != "continue_from")  // another clip
            keys[std::string(input)] = fileFor(input);
    return keys;
}

void FamilyTest::writePicture(const std::string& name, std::int64_t height, std::int64_t width,
                              int red) const {
    Tensor picture = Tensor::zeros({height, width, 3}, DType::U8);
    for (std::size_t i = 0; i < picture.bytes(); i += 3)
        picture.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(red);
    fs::create_directories(file(name).parent_path());
    writePng(file(name), picture);
}

fs::path FamilyTest::run(const ProjectKeys& keys, const std::string& name) const {
    const ProcessResult result =
        meshreel({"run", project(keys, name + ".yaml"), "--out", file(name).string()});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return file(name);
}

}  // namespace meshreel::testing
