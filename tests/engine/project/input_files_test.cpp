// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/media/video_writer.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/speech_length.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::At;
using ::testing::ElementsAre;
using testing::expectFaults;
using testing::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Names;
using testing::Offers;
using testing::Refusal;
using ::testing::SizeIs;

const InputKey& references() {
    return *findInputKey("reference_images");
}

TEST(InputFiles, EveryInputIsAKeyOfTheProject) {
    for (const InputKey& key : inputKeys()) {
        const ProjectKey* row = findProjectKey(key.name);
        ASSERT_NE(row, nullptr) << key.name;
        if (key.kind == InputKind::Keyframes)
            EXPECT_TRUE(std::holds_alternative<KeyframeList Project::*>(row->member));
        else
            EXPECT_EQ(std::get<std::string Project::*>(row->member), key.member);
    }
    EXPECT_EQ(findInputKey("prompt"), nullptr);
}

TEST(InputFiles, OfKeyframesThePlacesAreSaidBesideTheFiles) {
    const InputKey& key = *findInputKey("keyframes");
    Project project;
    project.keyframes = {{.place = {.unit = PlaceUnit::Frame, .value = 4}, .image = "a.png"}};
    const std::string was = textBesideFiles(project, key);
    setInputFiles(project, key, {"b.png"});
    EXPECT_EQ(textBesideFiles(project, key), was);
    project.keyframes.front().place.value = 8;
    EXPECT_NE(textBesideFiles(project, key), was);
    EXPECT_EQ(textBesideFiles(project, references()), "");
}

TEST(InputFiles, AShortClipIsRefusedAtAKeyThatHelps) {
    const auto refused = [](ClipCount saidBy) {
        return std::get<Problem>(takenOfClip(Project(), 9, 5, saidBy));
    };
    EXPECT_EQ(refused(ClipCount::Chosen).key, "continue_frames");
    EXPECT_EQ(refused(ClipCount::Fixed).key, "continue_at");
    EXPECT_THAT(refused(ClipCount::Fixed).fixes.front().changes, IsEmpty());
}

TEST(InputFiles, SeveralAreSeparatedByCommas) {
    Project project;
    EXPECT_THAT(inputFiles(project, references()), IsEmpty());
    project.referenceImages = " a.png,b c.png ,, d.png";
    EXPECT_THAT(inputFiles(project, references()), ElementsAre("a.png", "b c.png", "d.png"));
    setInputFiles(project, references(), {"x", "y"});
    EXPECT_EQ(project.referenceImages, "x, y");
    project.image = "one, two.png";
    EXPECT_THAT(inputFiles(project, *findInputKey("image")), ElementsAre("one, two.png"));
}

TEST(InputFiles, PicturesOfKeyframesKeepTheirPlaces) {
    const InputKey& key = *findInputKey("keyframes");
    Project project;
    project.keyframes = {{.place = {.value = 8}, .image = "a.png"},
                         {.place = {.unit = PlaceUnit::Percent, .value = 50}, .image = "b, c.png"}};
    EXPECT_THAT(inputFiles(project, key), ElementsAre("a.png", "b, c.png"));
    const Project moved = withInputsIn(project, "/clips");
    EXPECT_THAT(inputFiles(moved, key), ElementsAre("/clips/a.png", "/clips/b, c.png"));
    EXPECT_EQ(moved.keyframes[1].place, project.keyframes[1].place);
    EXPECT_TRUE(key.namesSeveral());
    EXPECT_TRUE(key.namesPictures());
}

TEST(InputFiles, ThoseOfAFileStartAtItsFolderAndOverridesWhereThePersonIs) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder.path() / "project.yaml";
    std::ofstream(file) << "version: 1\nprompt: a cat\nimage: pictures/cat.png\nvideo: /data/clip.mp4\n";
    const std::vector<std::string> overrides{"last_image=dog.png"};
    const Project project = loadProject(file, overrides).project;
    EXPECT_EQ(project.image, (folder.path() / "pictures/cat.png").string());
    EXPECT_EQ(project.video, "/data/clip.mp4");
    EXPECT_EQ(project.lastImage, (fs::current_path() / "dog.png").string());
}

TEST(InputFiles, APathThatIsNotUtf8IsAProblem) {
    const testing::TemporaryFolder folder;
    const fs::path place = folder.path() / "caf\xe9";
    fs::create_directory(place);
    const fs::path file = place / "project.yaml";
    std::ofstream(file) << "version: 1\nprompt: a cat\nimage: cat.png\nmag_ratios_file: curve.json\n";
    std::ofstream(place / "cat.png") << "picture";
    const std::vector<Problem> problems = pathProblems(loadProject(file).project);
    ASSERT_THAT(problems, SizeIs(2));
    for (const Problem& problem : problems) {
        EXPECT_THAT(problem.message, HasSubstr("caf\ufffd/"));
        EXPECT_THAT(problem, Fault("input-path-not-utf8"));
    }
}

TEST(NumberList, OfNoiseLevelsDescends) {
    Project project;
    EXPECT_THAT(givenSigmas(project), IsEmpty());
    project.timesteps = "1000, 750, 500,250";
    EXPECT_THAT(givenSigmas(project), ElementsAre(1.0, 0.75, 0.5, 0.25));
    EXPECT_THAT(numberListProblems(project), IsEmpty());
    project.sigmas = "1, 0.5";
    EXPECT_EQ(numberListProblems(project).front().key, "timesteps");
    project.timesteps.clear();
    for (const char* wrong : {"0.5, 1", "1, 0", "2", "1; 0.5", "one", "1,,0.5"}) {
        project.sigmas = wrong;
        ASSERT_THAT(numberListProblems(project), SizeIs(1)) << wrong;
        EXPECT_EQ(numberListProblems(project).front().key, "sigmas") << wrong;
    }
    project.sigmas.clear();
    project.conditioningScale = "";
    EXPECT_EQ(numberListProblems(project).front().key, "conditioning_scale");
}

using ::testing::AllOf;
using ::testing::Field;

Tensor greyFrames(std::int64_t frames) {
    return Tensor::zeros({frames, 16, 16, 3}, DType::U8);
}

class InputInspection : public ::testing::Test {
  protected:
    fs::path write(const char* name, std::int64_t frames, double fps, VideoFormat format = VideoFormat::Mp4) {
        VideoOptions options;
        options.fps = fps;
        options.format = format;
        return writeVideo(m_folder / name, greyFrames(frames), options).file;
    }

    static Project withVideo(const fs::path& file, std::int64_t frames) {
        Project project;
        project.video = file.string();
        project.numFrames = frames;
        return project;
    }

    /// The project's only problem.
    static Problem problemOf(const Project& project) {
        const InputFindings found = inspectInputs(project);
        EXPECT_THAT(found.problems, SizeIs(1));
        return found.problems.empty() ? Problem() : found.problems.front();
    }

    static Refusal refusalOf(const Project& project) { return {ErrorKind::Input, problemOf(project)}; }

    testing::TemporaryFolder m_folder;
};

TEST_F(InputInspection, AMissingFileIsAProblemAtItsLine) {
    const fs::path file = m_folder / "project.yaml";
    std::ofstream(file) << "version: 1\nprompt: a cat\nimage: cat.png\n";
    const LoadedProject loaded = loadProject(file);
    std::vector<Problem> problems = inspectInputs(loaded.project).problems;
    ASSERT_THAT(problems, SizeIs(1));
    loaded.locate(problems.front());
    EXPECT_EQ(problems.front().place.line, 3);
    EXPECT_THAT(problems.front().message, HasSubstr("cat.png"));
    writePng(m_folder / "cat.png", greyFrames(1).reshaped({16, 16, 3}));
    EXPECT_THAT(inspectInputs(loadProject(file).project).problems, IsEmpty());
}

TEST_F(InputInspection, EveryKeyIsOpened) {
    const fs::path text = m_folder / "text.png";
    writeFileAtomically(text, "this is no picture");
    for (const InputKey& key : inputKeys()) {
        if (key.kind == InputKind::Sound || key.kind == InputKind::Tracks)
            continue;
        Project project;
        if (key.kind == InputKind::Keyframes)
            project.keyframes = {{.place = {}, .image = text.string()}};
        else
            project.*key.member = text.string();
        const InputFindings found = inspectInputs(project);
        ASSERT_THAT(found.problems, SizeIs(1)) << key.name;
        EXPECT_EQ(found.problems.front().key, key.name);
        EXPECT_THAT(found.problems.front(),
                    AllOf(Fault("input-unusable"), Names(std::string(key.name), text.string())));
    }
    Project project;
    writePng(m_folder / "good.png", greyFrames(1).reshaped({16, 16, 3}));
    project.referenceImages = (m_folder / "good.png").string() + ", " + text.string();
    EXPECT_THAT(problemOf(project), Names(text.string()));
}

/// How reading a file of tracks with this text ends.
Refusal refusalOfTracks(const fs::path& file, const std::string& text) {
    writeFileAtomically(file, text);
    return testing::refusalOf(ErrorKind::Input, [&file] { static_cast<void>(readTracks(file)); });
}

TEST_F(InputInspection, TracksAreListsOfPlaces) {
    const fs::path file = m_folder / "tracks.json";
    writeFileAtomically(file, R"([[{"x": 1, "y": 2.5}, {"x": -3, "y": 4}], [{"x": 5, "y": 6}]])");
    EXPECT_EQ(readTracks(file), (std::vector<PointTrack>{{{1, 2.5F}, {-3, 4}}, {{5, 6}}}));
    writeFileAtomically(file, R"([{'x': 1, 'y': 2}])");  // one track, with Python's quotes
    EXPECT_EQ(readTracks(file), (std::vector<PointTrack>{{{1, 2}}}));
    std::string longer = "[";
    for (int point = 0; point < 130; ++point)
        longer += fmt::format(R"({}{{"x": {}, "y": 0}})", point == 0 ? "" : ",", point);
    writeFileAtomically(file, longer + "]");
    EXPECT_EQ(readTracks(file).front().size(), 130U) << "who takes fewer leaves the others out";
    Project project;
    project.tracks = file.string();
    EXPECT_THAT(inspectInputs(project).problems, IsEmpty());
    EXPECT_THAT(inspectInputs(project).notes, IsEmpty());
    writeFileAtomically(m_folder / "short.json", R"([[{"x": 1, "y": 2}, {"x": 3, "y": 4}]])");
    EXPECT_FALSE(trackNote(project, trackSamples));
    project.tracks = (m_folder / "short.json").string();
    ASSERT_TRUE(trackNote(project, trackSamples));
    EXPECT_THAT(trackNote(project, trackSamples)->message, Names("tracks", "short.json", "1", "121"));
    EXPECT_FALSE(trackNote(project, 2)) << "as many as there are";
    EXPECT_FALSE(trackNote(project, 0)) << "nobody reads them";
    project.tracks = (m_folder / "missing.json").string();
    EXPECT_FALSE(trackNote(project, trackSamples)) << "others tell it";
}

TEST_F(InputInspection, BadTracksAreRefusedWithPlaceAndCure) {
    const fs::path file = m_folder / "tracks.json";
    const auto refusal = [&](const std::string& text) { return refusalOfTracks(file, text); };
    const Refusal lacking = refusal(R"([[{"x": 1, "y": 2}], [{"x": 1, "y": 2}, {"x": 1}]])");
    EXPECT_THAT(lacking, AllOf(At(HasSubstr("tracks.json")), Names("2", "y")));
    const Refusal text = refusal(R"([[{"x": "1", "y": 2}]])");
    EXPECT_THAT(text, Names("1", "x"));
    expectFaults({{"no JSON", refusal("[[{")},
                  {"no list", refusal("{}")},
                  {"no list", refusal("[]")},
                  {"no points", refusal("[[]]")},
                  {"no points", refusal("[3]")},
                  {"no coordinate", lacking},
                  {"no coordinate", text},
                  {"no coordinate", refusal(R"([[[{"x": 1, "y": 2}]]])")},
                  {"beyond", refusal(R"([[{"x": 1e30, "y": 2}]])")},
                  {"no JSON and no place", refusal(R"([[{"x": 1e999, "y": 2}]])")},
                  {"PyTorch", refusal("PK\x03\x04")},
                  {"too large", refusal(std::string(std::size_t{17} << 20, ' '))},
                  {"no JSON", refusal(std::string(100'000, '['))}});
    writeFileAtomically(file, "[]");
    Project project;
    project.tracks = file.string();
    EXPECT_THAT(problemOf(project), AllOf(Fault("input-unusable"), Names("tracks")));
}

TEST_F(InputInspection, WhatCannotBeReadToItsEndIsNeverOpened) {
    const auto image = [this](const char* name) {
        Project project;
        project.image = (m_folder / name).string();
        return refusalOf(project);
    };
    writeFileAtomically(m_folder / "empty.png", "");
    ASSERT_EQ(::mkfifo((m_folder / "pipe.png").c_str(), 0600), 0);
    fs::create_directory(m_folder / "home");
    writeFileAtomically(m_folder / "home" / "secret", "mine");
    expectFaults({{"folder", image("home")},
                  {"empty", image("empty.png")},
                  {"no file", image("pipe.png")},
                  {"no file", refusalOf(withVideo("/dev/zero", 5))},
                  {"no frames", refusalOf(withVideo(m_folder / "home", 5))}});
}

TEST_F(InputInspection, AnInputMayOnlyBeSoLarge) {
    const fs::path file = m_folder / "huge.mp4";
    writeFileAtomically(file, "x");
    fs::resize_file(file, maxInputBytes + 1);  // a hole
    EXPECT_THAT(problemOf(withVideo(file, 5)), AllOf(Fault("inputs-too-large"), Names("video", "8.0 GiB")));
}

TEST_F(InputInspection, AVideoOfAnotherRateIsSampledAndBothRatesAreSaid) {
    const Project project = withVideo(write("clip", 60, 60), 13);
    const InputFindings found = inspectInputs(project);
    EXPECT_THAT(found.problems, IsEmpty());
    ASSERT_THAT(found.notes, SizeIs(1));
    EXPECT_EQ(found.notes.front().key, "video");
    EXPECT_THAT(testing::valuesOf(found.notes.front().message), ElementsAre("video", "clip.mp4", "60", "16"));
    EXPECT_THAT(found.notes.front().detail, Names("60"));
    EXPECT_THAT(inspectInputs(withVideo(write("same", 17, 16), 17)).notes, IsEmpty());
    EXPECT_THAT(inspectInputs(withVideo(write("folder", 5, 16, VideoFormat::Png), 5)).notes, IsEmpty());
    EXPECT_THAT(inspectInputs(withVideo(testing::testData() / "media" / "variable.mp4", 13)).notes,
                ::testing::Contains(Field(&InputNote::message, Names("variable.mp4", "8"))));
}

TEST_F(InputInspection, KeptFramesAreCountedAsTheyAreAndTheirSpeedIsSaid) {
    Project project = withVideo(write("clip", 60, 60), 57);
    EXPECT_THAT(problemOf(project), AllOf(Fault("input-too-short"), Names("16", "57")));
    project.inputFps = "keep";
    const InputFindings found = inspectInputs(project);
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_THAT(found.notes, ElementsAre(Field(&InputNote::message, Names("video", "clip.mp4", "60"))));
    EXPECT_NE(testing::patternOf(found.notes.front().message),
              testing::patternOf(inspectInputs(withVideo(m_folder / "clip.mp4", 13)).notes.front().message));
    EXPECT_EQ(inputRate(project), 0);
}

TEST_F(InputInspection, TheSoundOfTheFirstVideoThatHasOneIsKept) {
    const fs::path sounding = testing::testData() / "media" / "sound.mp4";
    Project project = withVideo(write("silent", 17, 16), 17);
    EXPECT_EQ(soundFile(project), "");
    project.faceVideo = sounding;
    EXPECT_EQ(soundFile(project), sounding);
    project.inputFps = "keep";
    EXPECT_EQ(soundFile(project), sounding) << "both have 16 frames a second";
    project.fps = 8;
    EXPECT_EQ(soundFile(project), "") << "the result plays at half the speed";
    project.audio = sounding;
    EXPECT_EQ(soundFile(project), sounding);
    project.audio = "none";
    EXPECT_EQ(soundFile(project), "");
}

TEST_F(InputInspection, AnInputWhoseSoundCannotBeReadHasNone) {
    EXPECT_EQ(soundFile(withVideo(write("animation", 5, 16, VideoFormat::WebP), 5)), "");
    EXPECT_EQ(soundFile(withVideo(write("frames", 5, 16, VideoFormat::Png), 5)), "");
    EXPECT_EQ(soundFile(withVideo(m_folder / "gone.mp4", 5)), "");
}

TEST_F(InputInspection, AFileThatGivesNoSoundIsRefused) {
    Project project;
    project.audio = write("silent", 5, 16);
    const Refusal silent = refusalOf(project);
    EXPECT_THAT(silent, Names("audio", "silent.mp4"));
    project.audio = testing::testData() / "media" / "sound.mp4";
    EXPECT_THAT(inspectInputs(project).problems, IsEmpty());
    project.videoFormat = "gif";
    const Refusal inGif = refusalOf(project);
    project.audio = m_folder / "gone.m4a";
    EXPECT_THAT(problemOf(project), AllOf(Fault("input-missing"), Names("audio")));
    expectFaults({{"silent", silent}, {"not held by the format", inGif}});
}

TEST_F(InputInspection, AVideoLastsAsLongAsItsSpeech) {
    Project project;
    EXPECT_FALSE(framesOfSpeech(project));
    project.speech = m_folder / "voice.wav";
    EXPECT_FALSE(framesOfSpeech(project)) << "there is no such file";
    constexpr int rate = 16'000;
    for (const auto& [samples, frames] : {std::pair{rate, 17},
                                          {rate + rate / 16, 17},
                                          {3 * rate / 2, 25},
                                          {rate / 100, 1},
                                          {5 * rate + rate / 8, 85}}) {
        testing::writeWav(project.speech, rate, 1, samples, [](int, int) { return 0.0; });
        EXPECT_EQ(framesOfSpeech(project), frames) << samples;
        EXPECT_NEAR(speechSeconds(project).value_or(0), samples / double{rate}, 1e-3);
    }
    EXPECT_EQ(soundFile(project), fs::path(project.speech));
    EXPECT_THAT(inspectInputs(project).problems, IsEmpty());
    project.lengthBySpeech = false;
    EXPECT_FALSE(framesOfSpeech(project));
    EXPECT_NEAR(heardSeconds(project), 5.125, 1e-3) << "the whole sound, however long the video is";
    project.speech = write("silent", 5, 16);
    EXPECT_THAT(refusalOf(project), Names("speech", project.speech));
}

TEST(InputFiles, KeepAndNoneAreNoFilesOfSound) {
    Project project;
    const InputKey& audio = *findInputKey("audio");
    EXPECT_THAT(inputFiles(project, audio), IsEmpty());
    setInputFiles(project, audio, {});
    EXPECT_EQ(project.audio, "keep");
    EXPECT_EQ(withInputsIn(project, "/data").audio, "keep");
    project.audio = "song.m4a";
    EXPECT_EQ(withInputsIn(project, "/data").audio, "/data/song.m4a");
}

TEST_F(InputInspection, TheNumberOfFramesIsJudgedAfterSampling) {
    const fs::path clip = write("clip", 60, 60);  // a second
    EXPECT_THAT(inspectInputs(withVideo(clip, 16)).problems, IsEmpty());
    const InputFindings found = inspectInputs(withVideo(clip, 17));
    ASSERT_THAT(found.problems, SizeIs(1));
    EXPECT_THAT(found.problems.front(), AllOf(Fault("input-too-short"), Names("16", "17"), Offers("13")));
    EXPECT_THAT(problemOf(withVideo(write("short", 9, 16), 13)), AllOf(Fault("input-too-short"), Names("9")));
    EXPECT_THAT(problemOf(withVideo(write("frames", 5, 16, VideoFormat::Png), 9)),
                AllOf(Fault("input-too-short"), Names("5")));
    writePng(m_folder / "one.png", greyFrames(1).reshaped({16, 16, 3}));
    EXPECT_THAT(inspectInputs(withVideo(m_folder / "one.png", 81)).problems, IsEmpty()) << "stands for all";
}

TEST_F(InputInspection, FramesThatAreNotShownDoNotCount) {
    const fs::path media = testing::testData() / "media";
    EXPECT_THAT(problemOf(withVideo(media / "cut.mp4", 13)), AllOf(Fault("input-too-short"), Names("12")));
    EXPECT_THAT(inspectInputs(withVideo(media / "open-gop-hevc.mp4", 13)).problems, IsEmpty());
    EXPECT_THAT(problemOf(withVideo(media / "open-gop-hevc.mp4", 17)),
                AllOf(Fault("input-too-short"), Names("16")));
}

TEST_F(InputInspection, WhatReadingDoesWithColoursIsSaid) {
    const fs::path media = testing::testData() / "media";
    const InputFindings high = inspectInputs(withVideo(media / "hlg.mp4", 1));
    EXPECT_THAT(high.problems, IsEmpty());
    EXPECT_THAT(high.notes, ElementsAre(Field(&InputNote::message, Names("hlg.mp4", "HLG"))));
    EXPECT_THAT(inspectInputs(withVideo(media / "cut.mp4", 9)).notes,
                ElementsAre(Field(&InputNote::message, Names("cut.mp4", "BT.601"))));
}

TEST_F(InputInspection, AFileIsDecodedAgainOnlyWhenItChanged) {
    const fs::path file = m_folder / "picture.png";
    writePng(file, greyFrames(1).reshaped({16, 16, 3}));
    Project project;
    project.image = file.string();
    InputInspector inspector;
    EXPECT_THAT(inspector.inspect(project).problems, IsEmpty());
    const auto written = fs::last_write_time(file);
    writeFileAtomically(file, std::string(fs::file_size(file), 'x'));
    fs::last_write_time(file, written);
    EXPECT_THAT(inspector.inspect(project).problems, IsEmpty()) << "it was opened although nothing changed";
    fs::last_write_time(file, written + std::chrono::seconds(1));
    EXPECT_THAT(inspector.inspect(project).problems, SizeIs(1));
}

}  // namespace

}  // namespace meshreel
