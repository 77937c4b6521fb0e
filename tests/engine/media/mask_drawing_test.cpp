// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/mask_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/drawing.h"
#include "engine/tensor/tensor.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr DrawingCanvas smallCanvas{.width = 32, .height = 20, .frames = 11, .fps = 8};

/// From (10, 5) to (20, 15).
MaskShape boxWith(std::vector<MaskPose> poses = {{}}) {
    return {.kind = MaskShapeKind::Box, .points = {{10, 5}, {20, 15}}, .poses = std::move(poses)};
}

MaskDrawing drawingWith(std::vector<MaskShape> shapes) {
    return {.canvas = smallCanvas, .inverted = false, .shapes = std::move(shapes)};
}

/// Pixels [first, end) of a row.
std::vector<int> rowOfMask(const Tensor& mask, int row, int first, int end) {
    const auto bytes = mask.data<std::uint8_t>().subspan(static_cast<std::size_t>(row * 32));
    return {bytes.begin() + first, bytes.begin() + end};
}

std::int64_t whitePixels(const Tensor& mask) {
    std::int64_t white = 0;
    for (const std::uint8_t value : mask.data<std::uint8_t>())
        white += value == 255 ? 1 : 0;
    return white;
}

TEST(MaskDrawings, ABoxOnWholePixelsCoversJustThem) {
    const Tensor mask = renderMask(drawingWith({boxWith()}), 0);
    ASSERT_EQ(mask.shape(), (Shape{20, 32}));
    EXPECT_EQ(whitePixels(mask), 100);
    EXPECT_THAT(rowOfMask(mask, 5, 8, 12), ElementsAre(0, 0, 255, 255));
    EXPECT_THAT(rowOfMask(mask, 14, 18, 22), ElementsAre(255, 255, 0, 0));
    EXPECT_THAT(rowOfMask(mask, 4, 0, 32), Each(0));
    EXPECT_THAT(rowOfMask(mask, 15, 0, 32), Each(0));
}

TEST(MaskDrawings, APixelHasWhatOfItIsCovered) {
    MaskShape shape = boxWith();
    shape.points = {{10.25, 5}, {20, 15}};
    // The middle of pixel 10 is 0.25 inside: 0.5 + 0.25 of 255.
    EXPECT_THAT(rowOfMask(renderMask(drawingWith({shape}), 0), 10, 9, 12), ElementsAre(0, 191, 255));
}

TEST(MaskDrawings, ASoftEdgeFallsEvenlyHalfInsideAndHalfOutside) {
    MaskShape shape = boxWith();
    shape.softness = 4;
    // Middles are 2.5, 1.5, 0.5 outside and 0.5, 1.5, 2.5 inside: 1/2 -+ d/4.
    EXPECT_THAT(rowOfMask(renderMask(drawingWith({shape}), 0), 10, 7, 13),
                ElementsAre(0, 32, 96, 159, 223, 255));
}

TEST(MaskDrawings, AShapeGoesStraightFromKeyframeToKeyframe) {
    const MaskShape shape = boxWith({{.frame = 0}, {.frame = 10, .x = 10}});
    EXPECT_TRUE(drawingWith({shape}).moves());
    EXPECT_FALSE(drawingWith({boxWith()}).moves());
    const auto leftAt = [&](std::int64_t frame) {
        const std::vector<int> row = rowOfMask(renderMask(drawingWith({shape}), frame), 10, 0, 32);
        return std::ranges::find(row, 255) - row.begin();
    };
    EXPECT_EQ(leftAt(0), 10);
    EXPECT_EQ(leftAt(5), 15);
    EXPECT_EQ(leftAt(10), 20);
    EXPECT_EQ(leftAt(40), 20);  // stays behind its last one
}

TEST(MaskDrawings, EasingChangesTheSpeedAndNotTheEnds) {
    const auto at = [](Easing easing, double frame) {
        return poseAt(boxWith({{.frame = 0, .easing = easing}, {.frame = 10, .x = 10}}), frame).x;
    };
    for (const EasingRow& row : easings()) {
        EXPECT_EQ(at(row.easing, 0), 0) << row.name;
        EXPECT_EQ(at(row.easing, 10), 10) << row.name;
    }
    EXPECT_DOUBLE_EQ(at(Easing::Linear, 5), 5);
    EXPECT_DOUBLE_EQ(at(Easing::In, 5), 2.5);        // 0.5²
    EXPECT_DOUBLE_EQ(at(Easing::Out, 5), 7.5);       // 1 - 0.5²
    EXPECT_DOUBLE_EQ(at(Easing::InOut, 2.5), 1.25);  // 2 · 0.25²
    EXPECT_DOUBLE_EQ(at(Easing::InOut, 7.5), 8.75);
    EXPECT_EQ(at(Easing::Hold, 9.9), 0);
}

TEST(MaskDrawings, AShapeGrowsAboutItsCentre) {
    const MaskShape shape = boxWith({{.frame = 0, .width = 2, .height = 0.5}});
    EXPECT_EQ(boundsOf(placedPoints(shape, poseAt(shape, 0))),
              (DrawnBounds{.left = 5, .top = 7.5, .right = 25, .bottom = 12.5}));
    const MaskPose within = poseWithin(shape, {}, {.left = 0, .top = 0, .right = 20, .bottom = 20});
    EXPECT_EQ(within, (MaskPose{.x = -5, .y = 0, .width = 2, .height = 2}));
    EXPECT_EQ(boundsOf(placedPoints(shape, within)),
              (DrawnBounds{.left = 0, .top = 0, .right = 20, .bottom = 20}));
}

TEST(MaskDrawings, LaterShapesAddOrCutAway) {
    MaskShape hole = boxWith();
    hole.points = {{12, 7}, {18, 13}};
    hole.cuts = true;
    const MaskShape island{
        .kind = MaskShapeKind::Box, .points = {{14, 9}, {16, 11}}, .poses = {{.strength = 0.4}}};
    const Tensor mask = renderMask(drawingWith({boxWith(), hole, island}), 0);
    EXPECT_EQ(whitePixels(mask), 100 - 36);
    EXPECT_THAT(rowOfMask(mask, 10, 10, 20),
                ElementsAre(255, 255, 0, 0, 102, 102, 0, 0, 255, 255));  // 0.4 · 255
    MaskDrawing inverted = drawingWith({boxWith()});
    inverted.inverted = true;
    EXPECT_EQ(whitePixels(renderMask(inverted, 0)), 32 * 20 - 100);
}

TEST(MaskDrawings, APolygonIsInsideWhereAnOddNumberOfEdgesLiesAround) {
    // A square whose way goes around twice is empty in its inner square, which lies around once more.
    const MaskShape shape{
        .kind = MaskShapeKind::Polygon,
        .points = {{4, 4}, {16, 4}, {16, 16}, {4, 16}, {4, 4}, {8, 8}, {8, 12}, {12, 12}, {12, 8}, {8, 8}},
        .poses = {{}}};
    EXPECT_THAT(rowOfMask(renderMask(drawingWith({shape}), 0), 13, 2, 6), ElementsAre(0, 0, 255, 255));
    EXPECT_THAT(rowOfMask(renderMask(drawingWith({shape}), 0), 10, 9, 11), ElementsAre(0, 0));
    EXPECT_FALSE(touches(shape, shape.poses.front(), {10, 10}, 0));
    EXPECT_TRUE(touches(shape, shape.poses.front(), {14, 10}, 0));
    EXPECT_TRUE(touches(shape, shape.poses.front(), {3, 10}, 1.5));
}

TEST(MaskDrawings, AStrokeIsAsFarFromItsWayAsTheBrush) {
    const MaskShape stroke{
        .kind = MaskShapeKind::Stroke, .points = {{8, 10}, {20, 10}}, .radius = 3, .poses = {{}}};
    const Tensor mask = renderMask(drawingWith({stroke}), 0);
    for (const int x : {8, 14, 19}) {
        EXPECT_EQ(rowOfMask(mask, 7, x, x + 1).front(), 255) << x;
        EXPECT_EQ(rowOfMask(mask, 12, x, x + 1).front(), 255) << x;
        EXPECT_EQ(rowOfMask(mask, 6, x, x + 1).front(), 0) << x;
        EXPECT_EQ(rowOfMask(mask, 13, x, x + 1).front(), 0) << x;
    }
    // Its ends are round: the middle of pixel 5 is at hypot(2.5, 0.5) from the first point, 0.45 inside.
    EXPECT_THAT(rowOfMask(mask, 9, 3, 7), ElementsAre(0, 0, 242, 255));
    EXPECT_TRUE(touches(stroke, stroke.poses.front(), {5.1, 10}, 0));
    EXPECT_FALSE(touches(stroke, stroke.poses.front(), {4.9, 10}, 0));
}

TEST(MaskDrawings, ACircleIsExact) {
    const MaskShape circle{.kind = MaskShapeKind::Ellipse, .points = {{6, 6}, {14, 14}}, .poses = {{}}};
    const Tensor mask = renderMask(drawingWith({circle}), 0);
    // The middle of pixel 6 is at hypot(3.5, 0.5) from the centre, 0.464 inside a radius of 4.
    EXPECT_THAT(rowOfMask(mask, 9, 4, 9), ElementsAre(0, 0, 246, 255, 255));
    EXPECT_TRUE(touches(circle, circle.poses.front(), {10, 10}, 0));
    EXPECT_FALSE(touches(circle, circle.poses.front(), {6.5, 6.5}, 0));
}

TEST(MaskDrawings, ShapesBesideThePictureCoverNothing) {
    MaskShape far = boxWith({{.frame = 0, .x = 900'000, .y = -900'000}});
    EXPECT_EQ(whitePixels(renderMask(drawingWith({far}), 0)), 0);
    far.kind = MaskShapeKind::Stroke;
    far.radius = 2;
    EXPECT_EQ(whitePixels(renderMask(drawingWith({far}), 0)), 0);
}

TEST(MaskDrawings, WhatWouldTakeMinutesIsRefused) {
    MaskShape scribble{.kind = MaskShapeKind::Stroke, .points = {}, .radius = 5000, .poses = {{}}};
    for (int point = 0; point < 20'000; ++point)
        scribble.points.push_back({static_cast<double>(point % 2) * 4000, static_cast<double>(point)});
    MaskDrawing drawing = drawingWith({scribble});
    drawing.canvas.width = 4000;
    drawing.canvas.height = 2000;
    const testing::Refusal refused =
        testing::refusalOf(ErrorKind::Input, [&drawing] { static_cast<void>(renderMask(drawing, 0)); });
    EXPECT_THAT(refused, testing::Names("4000", "2000"));
}

TEST(MaskDrawings, AShapeThatGrowsTooLargeIsRefusedBeforeItsFirstFrame) {
    MaskShape scribble{.kind = MaskShapeKind::Stroke,
                       .points = {},
                       .radius = 1,
                       .poses = {{.frame = 0}, {.frame = 10, .width = 2000, .height = 2000}}};
    for (int point = 0; point < 4000; ++point)
        scribble.points.push_back({1000 + static_cast<double>(point % 2), 500 + point / 4000.0});
    MaskDrawing drawing = drawingWith({scribble});
    drawing.canvas.width = 2000;
    drawing.canvas.height = 1000;
    const auto refusalOfAll = [&drawing] {
        return testing::refusalOf(ErrorKind::Input, [&drawing] { requireRenderable(drawing, "a.json"); });
    };
    EXPECT_FALSE(
        testing::refusalOf(ErrorKind::Input, [&drawing] { static_cast<void>(renderMask(drawing, 0)); }));
    const testing::Refusal refused = refusalOfAll();
    EXPECT_THAT(refused, testing::Names("2000", "1000"));
    EXPECT_EQ(refused.where(), "a.json");
    drawing.shapes.front().poses.back() = {.frame = 10, .x = 300};
    EXPECT_FALSE(refusalOfAll());
    drawing.shapes.front().poses = {{.x = 900'000, .width = 2000, .height = 2000}};
    drawing.shapes.front().points = {{0, 0}, {1, 1}};
    EXPECT_FALSE(refusalOfAll()) << "it is beside the picture";
}

TEST(MaskDrawings, ScalesStayWithinWhatFilesMayHold) {
    MaskShape shape = boxWith();
    shape.points = {{10, 5}, {11, 15}};
    const MaskPose wide = poseWithin(shape, {}, {.left = 0, .top = 5, .right = 100'000, .bottom = 15});
    EXPECT_EQ(wide.width, largestScale);
    shape.points = {{0, 0}, {100'000, 10}};
    EXPECT_EQ(poseWithin(shape, {}, {.left = 0, .top = 0, .right = 1, .bottom = 10}).width, 1 / largestScale);
}

TEST(MaskDrawings, AnotherClipScalesPlacesAndKeepsTimes) {
    MaskShape shape = boxWith({{.frame = 0}, {.frame = 8, .x = 4, .y = 2}});
    shape.softness = 2;
    const MaskDrawing fitted =
        fittedTo(drawingWith({shape}), {.width = 64, .height = 40, .frames = 21, .fps = 16});
    EXPECT_EQ(fitted.canvas, (DrawingCanvas{.width = 64, .height = 40, .frames = 21, .fps = 16}));
    const MaskShape& moved = fitted.shapes.front();
    EXPECT_THAT(moved.points, ElementsAre(DrawnPoint{20, 10}, DrawnPoint{40, 30}));
    EXPECT_EQ(moved.softness, 4);
    ASSERT_THAT(moved.poses, SizeIs(2));
    EXPECT_EQ(moved.poses[1], (MaskPose{.frame = 16, .x = 8, .y = 4}));  // both are at one second
}

TEST(MaskDrawings, KeyframesKeepTheirOrder) {
    std::vector<MaskPose> poses{{.frame = 3}};
    putKey(poses, MaskPose{.frame = 9, .x = 1});
    putKey(poses, MaskPose{.frame = 0, .x = 2});
    putKey(poses, MaskPose{.frame = 3, .x = 3});
    EXPECT_THAT(poses, ElementsAre(MaskPose{.frame = 0, .x = 2}, MaskPose{.frame = 3, .x = 3},
                                   MaskPose{.frame = 9, .x = 1}));
    moveKey(poses, 0, 9);
    EXPECT_THAT(poses, ElementsAre(MaskPose{.frame = 3, .x = 3}, MaskPose{.frame = 9, .x = 2}));
    moveKey(poses, 5, 6);  // there is none
    EXPECT_THAT(poses, SizeIs(2));
}

}  // namespace
}  // namespace meshreel
