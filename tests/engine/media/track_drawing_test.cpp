// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/track_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "engine/media/drawing.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr DrawingCanvas trackClip{.width = 100, .height = 50, .frames = 11, .fps = 8};
constexpr std::size_t sampleCount = 121;
constexpr SpreadTimes wholeClip{.first = 0, .last = 10, .count = sampleCount};

TEST(TrackDrawings, APointGoesStraightFromNodeToNode) {
    const DrawnTrack track{.nodes = {{.frame = 0, .x = 10, .y = 20}, {.frame = 10, .x = 30, .y = 0}}};
    const std::vector<DrawnPoint> places = sampledPlaces(track, wholeClip);
    ASSERT_THAT(places, SizeIs(sampleCount));
    EXPECT_EQ(places[0], (DrawnPoint{10, 20}));
    EXPECT_EQ(places[60], (DrawnPoint{20, 10}));  // halfway, at frame 5
    EXPECT_EQ(places[120], (DrawnPoint{30, 0}));
    EXPECT_EQ(places[12], (DrawnPoint{12, 18}));  // frame 1
}

TEST(TrackDrawings, EasingIsOfTheWayBehindANode) {
    const DrawnTrack track{.nodes = {{.frame = 0, .x = 0, .y = 0, .easing = Easing::In},
                                     {.frame = 4, .x = 16, .y = 0, .easing = Easing::Hold},
                                     {.frame = 8, .x = 32, .y = 8}}};
    EXPECT_EQ(placeAt(track, 2), (DrawnPoint{4, 0}));  // 16 · 0.5²
    EXPECT_EQ(placeAt(track, 7.9), (DrawnPoint{16, 0}));
    EXPECT_EQ(placeAt(track, 8), (DrawnPoint{32, 8}));
}

TEST(TrackDrawings, APointStaysBehindItsLastNodeOrLeaves) {
    DrawnTrack track{.nodes = {{.frame = 2, .x = 5, .y = 5}, {.frame = 5, .x = 8, .y = 5}}};
    EXPECT_EQ(placeAt(track, 0), (DrawnPoint{5, 5}));
    EXPECT_THAT(sampledPlaces(track, wholeClip), SizeIs(sampleCount));
    EXPECT_EQ(sampledPlaces(track, wholeClip).back(), (DrawnPoint{8, 5}));
    track.leaves = true;
    const std::vector<DrawnPoint> places = sampledPlaces(track, wholeClip);
    ASSERT_THAT(places, SizeIs(61));  // samples 0 to 60 are frames 0 to 5
    EXPECT_EQ(places.back(), (DrawnPoint{8, 5}));
    track.nodes = {{.frame = 0, .x = 1, .y = 1}};
    EXPECT_THAT(sampledPlaces(track, wholeClip), SizeIs(1));
}

TEST(TrackDrawings, TimesMayBeginBehindTheFirstFrame) {
    DrawnTrack track{.nodes = {{.frame = 0, .x = 0, .y = 5}, {.frame = 10, .x = 100, .y = 5}}};
    const SpreadTimes part{.first = 4, .last = 10, .count = 7};
    const std::vector<DrawnPoint> places = sampledPlaces(track, part);
    ASSERT_THAT(places, SizeIs(7));
    EXPECT_EQ(places.front(), (DrawnPoint{40, 5}));
    EXPECT_EQ(places.back(), (DrawnPoint{100, 5}));
    const DrawnTrack found = trackThrough(places, part, 0.01);
    EXPECT_EQ(found.nodes.front().frame, 4);
    EXPECT_FALSE(found.leaves);
    track.leaves = true;
    track.nodes.back().frame = 3;
    EXPECT_THAT(sampledPlaces(track, part), SizeIs(0)) << "it has left before";
}

TEST(TrackDrawings, AJumpIsNotMissedForTheLastBitsOfATime) {
    const DrawnTrack track{
        .nodes = {{.frame = 0, .x = 1, .y = 1, .easing = Easing::Hold}, {.frame = 2, .x = 9, .y = 9}}};
    EXPECT_EQ(sampledPlaces(track, {.first = 2 - 1e-12, .last = 2, .count = 2}).front(), (DrawnPoint{9, 9}));
}

TEST(TrackDrawings, ACurvePassesItsNodesAndBendsBetweenThem) {
    const DrawnTrack track{
        .smooth = true,
        .nodes = {{.frame = 0, .x = 0, .y = 0}, {.frame = 2, .x = 8, .y = 0}, {.frame = 4, .x = 8, .y = 8}}};
    for (const TrackNode& node : track.nodes)
        EXPECT_EQ(placeAt(track, static_cast<double>(node.frame)), (DrawnPoint{node.x, node.y}));
    // Between the first two the neighbours are (-8, 0), mirrored, and (8, 8):
    // (-a + 9 b + 9 c - d) / 16 in the middle: x = (8 + 0 + 72 - 8) / 16, y = -8 / 16.
    EXPECT_EQ(placeAt(track, 1), (DrawnPoint{4.5, -0.5}));
    // Between the last two they are (0, 0) and (8, 16), mirrored: x = (72 + 72 - 8) / 16, y = (72 - 16) / 16.
    EXPECT_EQ(placeAt(track, 3), (DrawnPoint{8.5, 3.5}));
    DrawnTrack two = track;
    two.nodes.pop_back();
    EXPECT_EQ(placeAt(two, 0.5), (DrawnPoint{2, 0}));  // a line
}

TEST(TrackDrawings, AWayIsGoneAlongAtOneSpeed) {
    const std::vector<DrawnPoint> corners{{0, 0}, {30, 0}, {30, 10}};
    const DrawnTrack track = trackAlong(corners, {.width = 100, .height = 50, .frames = 41, .fps = 8}, true);
    EXPECT_TRUE(track.smooth);
    EXPECT_THAT(track.nodes,
                ElementsAre(TrackNode{.frame = 0, .x = 0, .y = 0}, TrackNode{.frame = 30, .x = 30, .y = 0},
                            TrackNode{.frame = 40, .x = 30, .y = 10}));
    const DrawnTrack still = trackAlong(std::vector<DrawnPoint>{{7, 7}}, trackClip, false);
    EXPECT_THAT(still.nodes, ElementsAre(TrackNode{.frame = 0, .x = 7, .y = 7}));
}

TEST(TrackDrawings, ListsOfPointsBecomeAsFewNodesAsTheyNeed) {
    const DrawnTrack drawn{
        .leaves = true,
        .nodes = {
            {.frame = 0, .x = 0, .y = 0}, {.frame = 4, .x = 40, .y = 10}, {.frame = 8, .x = 10, .y = 40}}};
    const std::vector<DrawnPoint> places = sampledPlaces(drawn, wholeClip);
    const DrawnTrack found = trackThrough(places, wholeClip, 0.01);
    EXPECT_EQ(found, drawn);
    EXPECT_EQ(sampledPlaces(found, wholeClip), places);
    const std::vector<DrawnPoint> one{{3, 4}};
    EXPECT_THAT(trackThrough(one, wholeClip, 0.5).nodes, ElementsAre(TrackNode{.frame = 0, .x = 3, .y = 4}));
}

TEST(TrackDrawings, AThinnedWayKeepsItsCorners) {
    std::vector<DrawnPoint> way;
    for (int at = 0; at <= 20; ++at)
        way.push_back({static_cast<double>(at), 0.1 * (at % 2)});
    for (int at = 1; at <= 20; ++at)
        way.push_back({20, static_cast<double>(at)});
    EXPECT_THAT(thinnedWay(way, 0.5), ElementsAre(DrawnPoint{0, 0}, DrawnPoint{20, 0}, DrawnPoint{20, 20}));
    EXPECT_THAT(thinnedWay(std::vector<DrawnPoint>{{1, 1}}, 0.5), ElementsAre(DrawnPoint{1, 1}));
}

TEST(TrackDrawings, AnotherClipScalesPlacesAndKeepsTimes) {
    const TrackDrawing drawing{
        .canvas = trackClip,
        .tracks = {{.nodes = {{.frame = 0, .x = 50, .y = 25}, {.frame = 8, .x = 0, .y = 50}}}}};
    const TrackDrawing fitted = fittedTo(drawing, {.width = 200, .height = 50, .frames = 21, .fps = 16});
    EXPECT_THAT(fitted.tracks.front().nodes, ElementsAre(TrackNode{.frame = 0, .x = 100, .y = 25},
                                                         TrackNode{.frame = 16, .x = 0, .y = 50}));
}

}  // namespace
}  // namespace meshreel
