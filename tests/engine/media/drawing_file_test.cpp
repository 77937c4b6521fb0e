// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a drawing, and what readers of videos make of it.
#include "engine/media/drawing_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/alpha.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "engine/media/video_reader.h"
#include "engine/tensor/tensor.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::expectFaults;
using testing::Names;
using testing::Refusal;

MaskDrawing everyShape() {
    return {.canvas = {.width = 24, .height = 16, .frames = 9, .fps = 12.5},
            .inverted = true,
            .shapes = {
                {.kind = MaskShapeKind::Box,
                 .points = {{1, 2.25}, {10, 12}},
                 .softness = 1.5,
                 .poses = {{.frame = 0, .easing = Easing::InOut},
                           {.frame = 8, .x = 5, .y = -1.125, .width = 0.5, .height = 2, .strength = 0.25}}},
                {.kind = MaskShapeKind::Ellipse, .points = {{0, 0}, {4, 4}}, .cuts = true, .poses = {{}}},
                {.kind = MaskShapeKind::Polygon, .points = {{0, 0}, {4, 0}, {0, 4}}, .poses = {{}}},
                {.kind = MaskShapeKind::Stroke, .points = {{3, 3}}, .radius = 2.5, .poses = {{}}}}};
}

TrackDrawing someTracks() {
    return {.canvas = {.width = 24, .height = 16, .frames = 9, .fps = 8},
            .tracks = {{.smooth = true,
                        .leaves = true,
                        .nodes = {{.frame = 0, .x = 1, .y = 2, .easing = Easing::Hold},
                                  {.frame = 5, .x = 0.1, .y = -3}}},
                       {.nodes = {{.frame = 0, .x = 7, .y = 7}}}}};
}

class DrawingFiles : public ::testing::Test {
  protected:
    [[nodiscard]] fs::path write(const std::string& text) const {
        writeFileAtomically(m_folder / "drawing", text);  // the name says nothing
        return m_folder / "drawing";
    }
    /// How reading a mask ends whose text has `to` in place of `from`.
    [[nodiscard]] Refusal refusedWith(const std::string& from, const std::string& to) const {
        std::string text = drawingText(everyShape());
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const fs::path file = write(text);
        return testing::refusalOf(ErrorKind::Input, [&file] { static_cast<void>(readMaskDrawing(file)); });
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(DrawingFiles, WhatIsWrittenIsRead) {
    EXPECT_EQ(readMaskDrawing(write(drawingText(everyShape()))), everyShape());
    EXPECT_EQ(drawingKind(m_folder / "drawing"), DrawingKind::Mask);
    EXPECT_EQ(readTrackDrawing(write(drawingText(someTracks()))), someTracks());
    EXPECT_EQ(drawingKind(m_folder / "drawing"), DrawingKind::Tracks);
    const MaskDrawing empty{.canvas = {.width = 4, .height = 4, .frames = 1, .fps = 1}};
    EXPECT_EQ(readMaskDrawing(write(drawingText(empty))), empty);
}

TEST_F(DrawingFiles, OtherFilesAreNoDrawings) {
    EXPECT_EQ(drawingKind(write("{\"prompt\": \"meshreel_drawing\"}")), std::nullopt);
    EXPECT_EQ(drawingKind(write("[[{\"x\": 1, \"y\": 2}]]")), std::nullopt);
    EXPECT_EQ(drawingKind(write("prompt: {\"meshreel_drawing\": \"mask\"}")), std::nullopt);
    EXPECT_EQ(drawingKind(m_folder.path()), std::nullopt);
    EXPECT_EQ(drawingKind(m_folder / "nothing"), std::nullopt);
}

TEST_F(DrawingFiles, WhatIsWrongIsNamedWithItsPlace) {
    const Refusal number = refusedWith("\"strength\":0.25", "\"strength\":\"much\"");
    EXPECT_THAT(number, Names("1", "2", "strength", "0"));
    const Refusal order = refusedWith("\"frame\":8", "\"frame\":0");
    EXPECT_THAT(order, Names("1", "2"));
    const Refusal kind = refusedWith("\"ellipse\"", "\"star\"");
    EXPECT_THAT(kind, Names("2", "kind", "box", "stroke"));
    const Refusal corner = refusedWith("[4.0,0.0]", "[4.0]");
    EXPECT_THAT(corner, Names("3", "2"));
    expectFaults({{"no number of a keyframe", number},
                  {"no number of a shape", refusedWith("\"softness\":1.5", "\"softness\":-1")},
                  {"no number of the drawing", refusedWith("\"width\": 24", "\"width\": 1e9")},
                  {"order", order},
                  {"no kind", kind},
                  {"no easing", refusedWith("\"in-out\"", "\"bounce\"")},
                  {"no place", corner},
                  {"not whole", refusedWith("\"frame\":8", "\"frame\":1.5")},
                  {"no truth", refusedWith("\"cuts\":true", "\"cuts\":1")},
                  {"too few", refusedWith("[[0.0,0.0],[4.0,0.0],[0.0,4.0]]", "[[0.0,0.0],[4.0,0.0]]")},
                  {"missing", refusedWith("\"radius\":2.5,", "")},
                  {"unknown", refusedWith("\"softness\":1.5", "\"softnes\":1.5")},
                  {"no object", refusedWith("\"shapes\": [", "\"shapes\": [3,")},
                  {"later version", refusedWith("\"version\": 1", "\"version\": 2")}});
}

TEST_F(DrawingFiles, ATextIsRefusedAsItsFileWouldBe) {
    const auto refusalOf = [](const std::string& text, DrawingKind kind) {
        return testing::refusalOf(ErrorKind::Input, [&] { requireDrawing(text, kind, "a.json"); });
    };
    EXPECT_FALSE(refusalOf(drawingText(everyShape()), DrawingKind::Mask));
    EXPECT_FALSE(refusalOf(drawingText(someTracks()), DrawingKind::Tracks));
    EXPECT_TRUE(refusalOf(drawingText(someTracks()), DrawingKind::Mask));
    MaskDrawing large = everyShape();
    large.shapes.front().poses.front().width = 2 * largestScale;
    const Refusal refused = refusalOf(drawingText(large), DrawingKind::Mask);
    EXPECT_THAT(refused, Names("1", "width"));
    EXPECT_EQ(refused.where(), "a.json");
}

TEST_F(DrawingFiles, AsManyTracksAreReadAsAListOfPointsMayHave) {
    TrackDrawing drawing{.canvas = someTracks().canvas,
                         .tracks = std::vector(mostTracks, someTracks().tracks.back())};
    EXPECT_FALSE(testing::refusalOf(
        ErrorKind::Input, [&] { requireDrawing(drawingText(drawing), DrawingKind::Tracks, "a.json"); }));
    drawing.tracks.push_back(drawing.tracks.back());
    EXPECT_TRUE(testing::refusalOf(
        ErrorKind::Input, [&] { requireDrawing(drawingText(drawing), DrawingKind::Tracks, "a.json"); }));
}

TEST_F(DrawingFiles, AMaskThatGrowsTooLargeIsRefusedWhereItIsOpened) {
    MaskDrawing drawing{.canvas = {.width = 2000, .height = 1000, .frames = 9, .fps = 8},
                        .shapes = {{.kind = MaskShapeKind::Stroke,
                                    .points = {},
                                    .radius = 1,
                                    .poses = {{.frame = 0}, {.frame = 8, .width = 2000, .height = 2000}}}}};
    for (int point = 0; point < 4000; ++point)
        drawing.shapes.front().points.push_back({1000 + static_cast<double>(point % 2), 500});
    const fs::path file = write(drawingText(drawing));
    EXPECT_TRUE(testing::refusalOf(ErrorKind::Input, [&file] { static_cast<void>(probeFirstFrame(file)); }));
}

TEST_F(DrawingFiles, ADrawingOfTheOtherKindIsRefusedWithItsKey) {
    const fs::path tracks = write(drawingText(someTracks()));
    const Refusal refused =
        testing::refusalOf(ErrorKind::Input, [&tracks] { static_cast<void>(readMaskDrawing(tracks)); });
    EXPECT_THAT(refused, Names("tracks", "mask"));
}

TEST_F(DrawingFiles, AMovingMaskIsAVideo) {
    const MaskDrawing drawing = everyShape();
    const fs::path file = write(drawingText(drawing));
    const VideoInfo info = probeFirstFrame(file);
    EXPECT_EQ(info.width, 24);
    EXPECT_EQ(info.height, 16);
    EXPECT_EQ(info.frames, 9);
    EXPECT_EQ(info.fps, 12.5);
    EXPECT_EQ(info.codec, "drawing");
    const Tensor frames = readFrames(file, {.frames = 5});
    ASSERT_EQ(frames.shape(), (Shape{5, 16, 24, 3}));
    const Tensor mask = renderMask(drawing, 4);
    const auto grey = mask.data<std::uint8_t>();
    const auto pixels = frames.slice(4, 5).data<std::uint8_t>();
    for (std::size_t at = 0; at < grey.size(); ++at)
        for (std::size_t channel = 0; channel < 3; ++channel)
            ASSERT_EQ(pixels[3 * at + channel], grey[at]) << at;
    EXPECT_FALSE(hasShapeInAlpha(file));
}

TEST_F(DrawingFiles, AMaskThatDoesNotMoveIsAPicture) {
    MaskDrawing drawing = everyShape();
    drawing.shapes.front().poses.pop_back();
    const fs::path file = write(drawingText(drawing));
    EXPECT_EQ(probeVideo(file).frames, 1);
    EXPECT_EQ(probeVideo(file).fps, 0);
    EXPECT_EQ(readImage(file).shape(), (Shape{16, 24, 3}));
}

TEST_F(DrawingFiles, ADrawingOfNothingIsRefused) {
    MaskDrawing drawing = everyShape();
    drawing.shapes.clear();
    const fs::path file = write(drawingText(drawing));
    EXPECT_TRUE(testing::refusalOf(ErrorKind::Input, [&file] { static_cast<void>(probeVideo(file)); }));
}

}  // namespace
}  // namespace meshreel
