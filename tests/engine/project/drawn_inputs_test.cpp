// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings that keys of a project name: masks as videos, tracks as lists of points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "engine/project/input_files.h"
#include "engine/project/project.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using testing::Fault;
using ::testing::IsEmpty;
using testing::Names;
using testing::Offers;
using ::testing::SizeIs;

class DrawnInputs : public ::testing::Test {
  protected:
    DrawnInputs() {
        m_project.width = 64;
        m_project.height = 32;
        m_project.numFrames = 9;
        m_project.fps = 8;
    }

    template <typename Drawing>
    [[nodiscard]] std::string write(const Drawing& drawing) const {
        writeFileAtomically(m_folder / "drawing.json", drawingText(drawing));
        return (m_folder / "drawing.json").string();
    }

    testing::TemporaryFolder m_folder;
    Project m_project;
};

constexpr DrawingCanvas canvas{.width = 64, .height = 32, .frames = 9, .fps = 8};

MaskDrawing movingBox() {
    return {.canvas = canvas,
            .shapes = {{.kind = MaskShapeKind::Box,
                        .points = {{0, 0}, {8, 8}},
                        .poses = {{.frame = 0}, {.frame = 8, .x = 16}}}}};
}

TrackDrawing oneTrack() {
    return {.canvas = canvas,
            .tracks = {{.nodes = {{.frame = 0, .x = 4, .y = 8}, {.frame = 8, .x = 28, .y = 8}}}}};
}

TEST_F(DrawnInputs, AMaskIsTakenAsTheVideoThatItIs) {
    m_project.mask = write(movingBox());
    EXPECT_THAT(inspectInputs(m_project).problems, IsEmpty());
    EXPECT_THAT(inspectInputs(m_project).notes, IsEmpty());
    m_project.numFrames = 13;
    const InputFindings longer = inspectInputs(m_project);
    ASSERT_THAT(longer.problems, SizeIs(1));
    EXPECT_THAT(longer.problems.front(), AllOf(Fault("input-too-short"), Offers("9")));
    MaskDrawing still = movingBox();
    still.shapes.front().poses.pop_back();
    m_project.mask = write(still);  // a picture stands for every frame
    EXPECT_THAT(inspectInputs(m_project).problems, IsEmpty());
}

TEST_F(DrawnInputs, ABrokenDrawingIsAProblemAtItsKey) {
    m_project.mask = write(oneTrack());
    const InputFindings found = inspectInputs(m_project);
    ASSERT_THAT(found.problems, SizeIs(1));
    EXPECT_THAT(found.problems.front(), Fault("input-unusable"));
    EXPECT_EQ(found.problems.front().key, "mask");
    m_project.mask.clear();
    m_project.tracks = write(movingBox());
    ASSERT_THAT(inspectInputs(m_project).problems, SizeIs(1));
    EXPECT_EQ(inspectInputs(m_project).problems.front().key, "tracks");
    m_project.tracks = write(TrackDrawing{.canvas = canvas});
    EXPECT_THAT(inspectInputs(m_project).problems, SizeIs(1));  // nothing is drawn
}

TEST_F(DrawnInputs, TracksAreSampledOverTheirClip) {
    const std::vector<PointTrack> tracks = readTracks(write(oneTrack()));
    ASSERT_THAT(tracks, SizeIs(1));
    ASSERT_THAT(tracks.front(), SizeIs(trackSamples));
    EXPECT_EQ(tracks.front()[0], (TrackPoint{4, 8}));
    EXPECT_EQ(tracks.front()[60], (TrackPoint{16, 8}));
    EXPECT_EQ(tracks.front()[120], (TrackPoint{28, 8}));
    EXPECT_EQ(tracks.front()[30], (TrackPoint{10, 8}));
}

TEST_F(DrawnInputs, TracksOfAnotherSizeAreScaledAndThisIsSaid) {
    const std::string file = write(oneTrack());
    const std::vector<PointTrack> tracks = readTracks(
        file, TrackedVideo{.width = 128, .height = 32, .frames = canvas.frames, .fps = canvas.fps});
    EXPECT_EQ(tracks.front()[120], (TrackPoint{56, 8}));
    m_project.tracks = file;
    EXPECT_THAT(inspectInputs(m_project).notes, IsEmpty());
    m_project.width = 128;
    ASSERT_THAT(inspectInputs(m_project).notes, SizeIs(1));
    EXPECT_EQ(inspectInputs(m_project).notes.front().key, "tracks");
    EXPECT_THAT(inspectInputs(m_project).notes.front().message, Names("64", "128"));
}

TEST_F(DrawnInputs, TracksOfAnotherRateOrLengthKeepTheirSecondsAndThisIsSaid) {
    const std::string file = write(oneTrack());  // from x 4 to 28 in a second
    const TrackedVideo twice{.width = 64, .height = 32, .frames = 33, .fps = 16, .places = 33};
    const PointTrack track = readTracks(file, twice).front();
    ASSERT_THAT(track, SizeIs(33));
    EXPECT_EQ(track[8], (TrackPoint{16, 8})) << "after half a second";
    EXPECT_EQ(track[16], (TrackPoint{28, 8})) << "after a second";
    EXPECT_EQ(track[32], (TrackPoint{28, 8})) << "where it stays";
    m_project.tracks = file;
    EXPECT_THAT(inspectInputs(m_project).notes, IsEmpty());
    m_project.fps = 16;
    m_project.numFrames = 33;
    const std::vector<InputNote> notes = inspectInputs(m_project).notes;
    ASSERT_THAT(notes, SizeIs(1));
    EXPECT_EQ(notes.front().key, "tracks");
    EXPECT_THAT(notes.front().message, Names("9", "8", "33", "16"));
}

TEST_F(DrawnInputs, TracksBehindAClipBeginWhereTheVideoHasComeTo) {
    TrackedVideo video{.width = 64, .height = 32, .frames = 9, .fps = 8, .firstFrame = 4, .places = 5};
    const std::string file = write(oneTrack());
    EXPECT_EQ(readTracks(file, video).front().front(), (TrackPoint{16, 8}));
    EXPECT_EQ(readTracks(file, video).front().back(), (TrackPoint{28, 8}));
    video.places = trackSamples;  // as many as ATI takes of any part
    EXPECT_EQ(readTracks(file, video).front()[60], (TrackPoint{22, 8}));
    TrackDrawing gone = oneTrack();
    gone.tracks.front().nodes.back().frame = 2;
    gone.tracks.front().leaves = true;
    const PointTrack track = readTracks(write(gone), video).front();
    ASSERT_THAT(track, SizeIs(1));
    EXPECT_FALSE(track.front().seen) << "it has left before";
}

TEST_F(DrawnInputs, SightOfADrawingIsRefusedAtItsKeyWithTheCure) {
    m_project.tracks = write(oneTrack());
    const std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (121, 1), }";
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() + 1);
    file += '\0';
    writeFileAtomically(m_folder / "seen.npy", file + header + "\n" + std::string(trackSamples, '\1'));
    m_project.trackVisibility = (m_folder / "seen.npy").string();
    const std::vector<Problem> problems = inspectInputs(m_project).problems;
    ASSERT_THAT(problems, SizeIs(1)) << "though as many points are drawn";
    EXPECT_EQ(problems.front().key, "track_visibility");
    EXPECT_THAT(problems.front(), AllOf(Fault("input-unusable"), Names("tracks"), Offers("")));
    m_project.trackVisibility.clear();
    EXPECT_THAT(inspectInputs(m_project).problems, IsEmpty());
}

TEST_F(DrawnInputs, AFileOfTracksIsReadAgainOnlyWhenItChanges) {
    const std::filesystem::path file = m_folder / "points.json";
    writeFileAtomically(file, R"([[{"x": 1, "y": 2}, {"x": 3, "y": 4}]])");
    m_project.tracks = file.string();
    InputInspector inspector;
    EXPECT_TRUE(inspector.trackNote(m_project, trackSamples));
    EXPECT_FALSE(inspector.trackNote(m_project, 2));
    EXPECT_FALSE(inspector.trackNote(m_project, 0)) << "nobody reads them";
    // Other bytes under the same stamp: who read again would find no tracks.
    const std::filesystem::file_time_type written = std::filesystem::last_write_time(file);
    writeFileAtomically(file, std::string(std::filesystem::file_size(file), '#'));
    std::filesystem::last_write_time(file, written);
    EXPECT_TRUE(inspector.trackNote(m_project, trackSamples));
    writeFileAtomically(file, R"([[{"x": 1, "y": 2}]])");
    EXPECT_FALSE(inspector.trackNote(m_project, 1));
    EXPECT_TRUE(inspector.trackNote(m_project, 2));
}

TEST_F(DrawnInputs, ATrackThatLeavesEndsThere) {
    TrackDrawing drawing = oneTrack();
    drawing.tracks.front().nodes.back().frame = 4;
    drawing.tracks.front().leaves = true;
    EXPECT_THAT(readTracks(write(drawing)).front(), SizeIs(61));  // 0 to 60 of 120 are the first half
    m_project.tracks = (m_folder / "drawing.json").string();
    EXPECT_THAT(inspectInputs(m_project).notes, IsEmpty());  // it is meant
}

}  // namespace
}  // namespace meshreel
