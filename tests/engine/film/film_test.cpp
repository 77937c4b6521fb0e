// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/problem.h"
#include "engine/catalogue/model_library.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"
#include "engine/media/video_reader.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_session.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FilmPlan, AShotLastsAsLongAsItSays) {
    EXPECT_EQ(framesOfShot(1, 16, 0), 17);
    EXPECT_EQ(framesOfShot(5, 16, 0), 81);
    EXPECT_EQ(framesOfShot(5, 16, 13), 93);
    EXPECT_EQ(framesOfShot(0.01, 16, 0), 1);
    for (std::int64_t shared = 0; shared < 14; ++shared)
        EXPECT_EQ(framesOfShot(2, 16, shared) % 4, 1);
}

class Film : public ::testing::Test {
  protected:
    /// Two shots, the second going on from the first.
    static std::string board(const std::string& first = "a ball", const std::string& second = "a star") {
        return "version: 3\nwidth: 32\nheight: 32\nnum_frames: 5\nnum_inference_steps: "
               "2\nmax_sequence_length: 32\n"
               "gpus: none\nseed: 7\nshots:\n  - name: one\n    prompt: " +
               first + "\n  - name: two\n    prompt: " + second +
               "\n    continue: true\n    continue_frames: 1\n";
    }

    [[nodiscard]] FilmPlan plan(const std::string& text) const {
        return planFilm(parseStoryboard(text, m_folder.path() / "story.yaml"), m_folder.path() / "film", {});
    }

    /// Makes the film; returns the shots that were made for it.
    std::vector<std::string> make(const FilmPlan& plan, const std::string& failing = {}) {
        std::vector<std::string> made;
        const EventSink sink = [](const RunEvent&) {};
        const ShotMaker maker{
            .make =
                [&](const PlannedShot& shot) {
                    if (shot.name == failing)
                        throw Error(ErrorKind::Cancelled, sentence("stopped"));
                    made.push_back(shot.name);
                    return runProject(
                        {.project = shot.project, .outFolder = shot.folder, .options = {.workers = 1}}, sink,
                        {});
                },
            .resume =
                [&](const PlannedShot& shot) { return resumeRun(shot.folder, {.workers = 1}, sink, {}); }};
        m_result = makeFilm(plan, maker, sink);
        return made;
    }

    testing::TemporaryFolder m_folder;
    FilmResult m_result;
};

TEST_F(Film, OnlyChangedShotsAreMadeAgain) {
    EXPECT_THAT(make(plan(board())), ElementsAre("one", "two"));
    EXPECT_EQ(m_result.frames, 5 + 4) << "the frame that both share is shown once";
    EXPECT_EQ(readVideo(m_result.video).extent(0), 9);
    EXPECT_THAT(make(plan(board())), IsEmpty());
    EXPECT_THAT(make(plan(board("a ball", "a ring"))), ElementsAre("two"));
    EXPECT_THAT(make(plan(board("a square", "a ring"))), ElementsAre("one", "two"))
        << "what continues another one follows it";
    EXPECT_THAT(make(plan(board())), IsEmpty()) << "what was made before is still there";
    const auto record = nlohmann::json::parse(readFile(m_folder.path() / "film" / "film.json"));
    EXPECT_EQ(record.at("shots").size(), 2U);
    EXPECT_TRUE(record.at("encoded_again"));
    EXPECT_EQ(record.at("shots").at(1).at("shared_frames"), 1);
    EXPECT_EQ(record.at("shots").at(1).at("blended_frames"), 1);
    EXPECT_EQ(plan(board() + "    blend: 0\n").shots[1].blendedFrames, 0);
    EXPECT_TRUE(record.at("shots").at(1).at("continued").contains("seam"));
}

TEST_F(Film, AShotIsAnotherOneWithOtherWeights) {
    const fs::path model = m_folder / "model";
    fs::copy(findModel("tiny-wan-t2v"), model, fs::copy_options::recursive);
    const std::string text = "pretrained_model_name_or_path: " + model.string() + "\n" + board();
    const std::string was = plan(text).shots[0].identity;
    EXPECT_EQ(plan(text).shots[0].identity, was);
    const fs::path weights = model / "vae/diffusion_pytorch_model.safetensors";
    std::string bytes = readFile(weights);
    bytes.at(bytes.size() - 5) ^= 1;
    writeFileAtomically(weights, bytes);
    EXPECT_NE(plan(text).shots[0].identity, was);
}

TEST_F(Film, ShotsOfOpenSeedsAreNotTheSame) {
    std::string text = board("a ball", "a ball");
    text.resize(text.find("    continue: true"));
    const FilmPlan same = plan(text);
    EXPECT_EQ(same.shots[0].identity, same.shots[1].identity);
    text.replace(text.find("seed: 7"), 7, "seed: -1");
    const FilmPlan open = plan(text);
    EXPECT_NE(open.shots[0].identity, open.shots[1].identity);
}

TEST_F(Film, PassesOverAtTheEndOfAShotHoweverThatIsSaid) {
    EXPECT_EQ(plan(board() + "    continue_at: 4\n").shots[1].blendedFrames, 1);
    EXPECT_EQ(plan(board() + "    continue_at: 3\n").shots[1].blendedFrames, 0);
    EXPECT_EQ(plan(board() + "    continue_at: 3\n    blend: 0\n").shots[1].blendedFrames, 0);
}

TEST_F(Film, StoppedItKeepsWhatWasMade) {
    EXPECT_THROW(make(plan(board()), "two"), Error);
    EXPECT_FALSE(fs::exists(m_folder.path() / "film" / "film.mp4"));
    EXPECT_THAT(make(plan(board())), ElementsAre("two"));
}

TEST_F(Film, PicturesAreCopiedWhereNothingIsLeftOut) {
    std::string text = board();
    text.resize(text.find("    continue: true"));
    make(plan(text));
    const auto record = nlohmann::json::parse(readFile(m_folder.path() / "film" / "film.json"));
    EXPECT_FALSE(record.at("encoded_again")) << record.at("why_encoded");
    const FilmPlan made = plan(text);
    const Tensor film = readVideo(m_result.video);
    ASSERT_EQ(film.extent(0), 10);
    for (std::size_t shot = 0; shot < 2; ++shot) {
        const Tensor own = readVideo(*RunFolder::open(made.shots[shot].folder).video());
        const auto first = static_cast<std::int64_t>(shot) * 5;
        EXPECT_TRUE(
            std::ranges::equal(film.slice(first, first + 5).data<std::uint8_t>(), own.data<std::uint8_t>()));
    }
}

TEST_F(Film, APlanSaysWhatIsLeftAndRefusesBeforeAnythingIsMade) {
    const FilmPlan fresh = plan(board());
    EXPECT_EQ(fresh.shots[0].state, ShotState::Missing);
    EXPECT_EQ(fresh.shots[1].sharedFrames, 1);
    EXPECT_GT(fresh.memoryBytes(), 0U);
    EXPECT_FALSE(fs::exists(fresh.folder));
    const auto refused = [&](const std::string& key) {
        try {
            static_cast<void>(plan(board() + key));
        } catch (const ProjectError& error) {
            return error.problems();
        }
        return std::vector<Problem>{};
    };
    EXPECT_EQ(refused("    continue_at: 5\n").front().id, ProblemId("clip-frame-missing"));
    EXPECT_EQ(refused("    image: nothing.png\n").empty(), false);
    EXPECT_THAT(refused("    continue_at: first\n"),
                ::testing::Contains(::testing::Field(&Problem::id, ProblemId("clip-frame-malformed"))));
    EXPECT_EQ(refused("    continue_at: 3\n    blend: 1\n").front().id, ProblemId("storyboard-malformed"));
}

}  // namespace
}  // namespace meshreel
