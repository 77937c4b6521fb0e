// SPDX-License-Identifier: GPL-3.0-or-later
// The next clip of a run, and films of several, through the real runner.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/media/image.h"
#include "engine/media/video_reader.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project_file.h"
#include "family_test.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::ProjectKeys;

class Continue : public testing::FamilyTest {
  protected:
    /// A run of the embedded model of nine frames.
    [[nodiscard]] fs::path firstClip() const {
        ProjectKeys keys = testing::smallRun();
        keys["num_frames"] = "9";
        return run(keys, "first");
    }

    /// A project of nine frames on a model of the family, without an image that a clip before takes the place
    /// of.
    [[nodiscard]] ProjectKeys longProjectOn(std::string_view family, WanTask task) const {
        ProjectKeys keys = projectOn(family, task);
        for (int frame = 5; frame < 9; ++frame)
            writePicture("clip/frame_0000" + std::to_string(frame + 1) + ".png", 36, 40, 20 * frame);
        keys["task"] = rowOf(task).name;
        keys["num_frames"] = "9";
        if (rowOf(task).clip == ClipUse::Pictures)
            keys.erase("image");
        if (keys.contains("keyframes"))
            keys["keyframes"] = "[{frame: 8, image: last.png}]";
        if (isAnimation(task))
            keys["segment_frame_length"] = "9";
        if (keys.contains("tracks")) {
            writeFileAtomically(file("tracks.json"), R"([[{"x": 5, "y": 5}, {"x": 20, "y": 9}]])");
            keys["tracks"] = "tracks.json";
        }
        return keys;
    }

    [[nodiscard]] ProcessResult next(const fs::path& before, const std::string& name,
                                     std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"run", "--continue", before.string(), "--out", file(name).string()};
        words.insert(words.end(), more.begin(), more.end());
        return meshreel(words);
    }
};

TEST_F(Continue, TheNextClipBeginsWithTheLatentsOfTheOneBefore) {
    const fs::path first = firstClip();
    const ProcessResult made = next(first, "next", {"--set", "prompt=a green star"});
    ASSERT_EQ(made.exitCode, 0) << made.err;
    const Project before = loadProject(first / "project.yaml").project;
    const Project after = loadProject(file("next") / "project.yaml").project;
    EXPECT_EQ(after.prompt, "a green star");
    EXPECT_EQ(*after.seed, *before.seed + 1);
    EXPECT_THAT(readFile(file("next") / "project.yaml"), HasSubstr("continue_from: inputs/continue_from"));
    EXPECT_TRUE(readFile(file("next") / "inputs" / "continue_from" / "latents.safetensors") ==
                readFile(first / "latents.safetensors"));
    const nlohmann::json timings = readJsonObject(file("next") / "timings.json");
    EXPECT_EQ(timings.at("continued").at("shared_frames"), 5);
    EXPECT_THAT(readFile(file("next") / "summary.txt"), HasSubstr("Seam to the clip before"));
    EXPECT_THAT(readFile(file("next") / "sources.json"), HasSubstr("\"continue_from\""));

    // What it needs is in its folder.
    fs::remove_all(first);
    const ProcessResult again =
        meshreel({"run", (file("next") / "project.yaml").string(), "--out", file("again").string()});
    ASSERT_EQ(again.exitCode, 0) << again.err;
    EXPECT_TRUE(readFile(file("again") / "latents.safetensors") ==
                readFile(file("next") / "latents.safetensors"));
}

TEST_F(Continue, EveryTaskGoesOn) {
    const fs::path first = firstClip();
    for (const auto& [family, task] :
         std::vector<std::pair<std::string_view, WanTask>>{{"wan2.1-i2v", WanTask::ImageToVideo},
                                                           {"wan2.2-i2v-a14b", WanTask::ImageToVideo},
                                                           {"wan2.1-vace", WanTask::VaceEditing},
                                                           {"wan2.1-t2v", WanTask::TextToVideo},
                                                           {"wan2.1-t2v", WanTask::VideoToVideo},
                                                           {"wan2.1-phantom", WanTask::SubjectsToVideo},
                                                           {"wan2.1-bernini", WanTask::SourcesToVideo},
                                                           {"wan2.1-ati", WanTask::TracksToVideo},
                                                           {"wan2.1-move", WanTask::MoveToVideo},
                                                           {"wan2.1-fun-control", WanTask::ControlToVideo},
                                                           {"wan2.2-animate", WanTask::Animation},
                                                           {"wan2.2-animate", WanTask::Replacement},
                                                           {"wan2.2-animate2", WanTask::DrivenAnimation},
                                                           {"wan2.2-ti2v", WanTask::KeyframesToVideo}}) {
        const std::string name = fmt::format("{}-{}", family, rowOf(task).name);
        SCOPED_TRACE(name);
        ProjectKeys keys = longProjectOn(family, task);
        keys["continue_from"] = first.string();
        for (const char* frames : {"1", "5"}) {
            keys["continue_frames"] = frames;
            const fs::path made = run(keys, name + "-" + frames);
            EXPECT_EQ(readJsonObject(made / "timings.json").at("continued").at("shared_frames"),
                      std::stoi(frames));
        }
        keys["continue_at"] = "9";
        EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("clip-frame-missing"));
        keys["continue_at"] = "2";
        EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("clip-too-short"));
        keys["continue_at"] = "-1";
        EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("clip-frame-malformed"));
        keys["continue_at"] = "last";
        keys["continue_frames"] = "9";
        EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("clip-frames-too-many"));
        keys["continue_frames"] = "4";
        EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("value-off-grid"));
    }
    ProjectKeys keys = projectOn("wan2.2-i2v-a14b");
    keys["image"] = "first.png";
    keys["continue_from"] = first.string();
    EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("keys-given-both"));
    keys.erase("image");
    keys["continue_from"] = "nothing";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("input-missing"));
    ProjectKeys keyed = longProjectOn("wan2.2-ti2v", WanTask::KeyframesToVideo);
    keyed["continue_from"] = first.string();
    keyed["continue_frames"] = "5";
    keyed["keyframes"] = "[{frame: 4, image: last.png}]";
    EXPECT_THAT(faultsIn({"validate", project(keyed)}), Contains("keys-given-both"));
}

TEST_F(Continue, AVideoGoesOnFromItsOwnLatents) {
    ProjectKeys keys = longProjectOn("wan2.1-t2v", WanTask::VideoToVideo);
    const fs::path first = run(keys, "first");
    const ProcessResult made = next(first, "next");
    ASSERT_EQ(made.exitCode, 0) << made.err;
    const Project after = loadProject(file("next") / "project.yaml").project;
    EXPECT_FALSE(after.video.empty());
    EXPECT_TRUE(readFile(file("next") / "inputs" / "continue_from" / "latents.safetensors") ==
                readFile(first / "latents.safetensors"));
    EXPECT_EQ(readJsonObject(file("next") / "timings.json").at("continued").at("shared_frames"), 5);
}

TEST_F(Continue, AnAnimationKeepsItsCharacter) {
    ProjectKeys keys = longProjectOn("wan2.2-animate", WanTask::Animation);
    const fs::path first = run(keys, "first");
    const ProcessResult made = next(first, "next");
    ASSERT_EQ(made.exitCode, 0) << made.err;
    EXPECT_THAT(readFile(file("next") / "project.yaml"), HasSubstr("image: inputs/image"));
    EXPECT_EQ(readJsonObject(file("next") / "timings.json").at("continued").at("shared_frames"), 1);
}

TEST_F(Continue, ARunThatHasNoVideoYetIsRefused) {
    const fs::path first = firstClip();
    fs::remove(first / "video.mp4");
    EXPECT_THAT(next(first, "next").err, HasSubstr("no video yet"));
}

class FilmCommand : public testing::RunnerTest {
  protected:
    [[nodiscard]] std::string storyboard(const std::string& second) const {
        const std::string place = file("story.yaml").string();
        writeFileAtomically(
            place,
            "version: 3\nwidth: 32\nheight: 32\nnum_inference_steps: 4\nmax_sequence_length: 64\n"
            "seed: 7\nshots:\n  - name: one\n    prompt: a red ball\n    num_frames: 5\n"
            "  - name: two\n    prompt: " +
                second + "\n    num_frames: 9\n    continue: true\n    continue_frames: 5\n");
        return place;
    }

    [[nodiscard]] ProcessResult film(const std::string& board, std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"film", board, "--out", file("film").string()};
        words.insert(words.end(), more.begin(), more.end());
        return meshreel(words);
    }
};

TEST_F(FilmCommand, PrintsItsPlanFirstAndMakesOnlyWhatChanged) {
    const ProcessResult planned = film(storyboard("a red ball"), {"--plan"});
    ASSERT_EQ(planned.exitCode, 0) << planned.err;
    EXPECT_THAT(planned.out, HasSubstr("2 shots, 9 frames"));
    EXPECT_FALSE(fs::exists(file("film")));

    const ProcessResult made = film(storyboard("a red ball"));
    ASSERT_EQ(made.exitCode, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr("2 shots, 9 frames"));
    EXPECT_EQ(readVideo(file("film") / "film.mp4").extent(0), 9);

    const ProcessResult again = film(storyboard("a red ball"));
    ASSERT_EQ(again.exitCode, 0) << again.err;
    EXPECT_THAT(again.out, Not(HasSubstr("Denoise")));
    const ProcessResult changed = film(storyboard("a blue star"));
    ASSERT_EQ(changed.exitCode, 0) << changed.err;
    EXPECT_THAT(changed.out, HasSubstr("Shot 1 of 2, one: is there"));
    const nlohmann::json record = readJsonObject(file("film") / "film.json");
    EXPECT_EQ(record.at("shots").at(1).at("shared_frames"), 5);
}

TEST_F(FilmCommand, AShotOfAVideoGoesOnFromTheOneBefore) {
    for (int frame = 0; frame < 9; ++frame) {
        Tensor picture = Tensor::zeros({32, 32, 3}, DType::U8);
        std::ranges::fill(picture.data<std::uint8_t>(), static_cast<std::uint8_t>(20 * frame));
        fs::create_directories(file("clip"));
        writePng(file("clip") / fmt::format("frame_0000{}.png", frame + 1), picture);
    }
    const ProcessResult made = film(storyboard("a red ball\n    task: v2v\n    video: clip"));
    ASSERT_EQ(made.exitCode, 0) << made.err;
    EXPECT_EQ(readVideo(file("film") / "film.mp4").extent(0), 9);
    EXPECT_EQ(readJsonObject(file("film") / "film.json").at("shots").at(1).at("shared_frames"), 5);
}

TEST_F(FilmCommand, AFaultOfAnyShotEndsItBeforeAnythingIsMade) {
    const std::string board = storyboard("a red ball\n    height: 33");
    const ProcessResult refused = film(board);
    EXPECT_EQ(refused.exitCode, BadProject);
    EXPECT_THAT(refused.err, HasSubstr("story.yaml"));
    EXPECT_FALSE(fs::exists(file("film")));
}

}  // namespace
}  // namespace meshreel
