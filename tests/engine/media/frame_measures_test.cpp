// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_measures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t measuredSide = 24;

/// Grey frames with the given level at each time and place.
Tensor greyFrames(std::int64_t frames, const std::function<int(int t, int y, int x)>& level) {
    Tensor made = Tensor::empty({frames, measuredSide, measuredSide, 3}, DType::U8);
    std::size_t at = 0;
    for (int t = 0; t < frames; ++t)
        for (int y = 0; y < measuredSide; ++y)
            for (int x = 0; x < measuredSide; ++x)
                for (int colour = 0; colour < 3; ++colour)
                    made.data<std::uint8_t>()[at++] = static_cast<std::uint8_t>(level(t, y, x));
    return made;
}

TEST(Flicker, OfStillAndSteadilyChangingVideosIsNone) {
    EXPECT_NEAR(*measureFlicker(greyFrames(6, [](int, int y, int x) { return 5 * y + 3 * x; })), 0, 1e-4);
    EXPECT_NEAR(*measureFlicker(greyFrames(6, [](int t, int, int) { return 20 + 10 * t; })), 0, 1e-4);
}

TEST(Flicker, IsTheDistanceFromTheNeighbouringFrames) {
    // Every second frame is lighter by 8.
    EXPECT_NEAR(*measureFlicker(greyFrames(7, [](int t, int, int) { return 100 + 8 * (t % 2); })), 8, 1e-3);
    // A single flash of 12 in five frames: 6, 12 and 6 away from the mean of the neighbours.
    EXPECT_NEAR(*measureFlicker(greyFrames(5, [](int t, int, int) { return t == 2 ? 112 : 100; })), 8, 1e-3);
}

TEST(Flicker, DoesNotCountWhatMoves) {
    const Tensor ball = greyFrames(
        8, [](int t, int y, int x) { return y >= 8 && y < 16 && x >= 2 * t && x < 2 * t + 6 ? 250 : 40; });
    EXPECT_NEAR(*measureFlicker(ball), 0, 1e-4);
}

TEST(Flicker, NeedsThreeFrames) {
    EXPECT_FALSE(measureFlicker(greyFrames(2, [](int t, int, int) { return 9 * t; })));
}

TEST(Sharpness, IsTheDeviationOfTheLaplacian) {
    EXPECT_NEAR(*measureSharpness(greyFrames(2, [](int, int, int) { return 77; })), 0, 1e-3);
    EXPECT_NEAR(*measureSharpness(greyFrames(2, [](int, int y, int x) { return 2 * y + 3 * x; })), 0, 1e-3)
        << "a slope has no second derivative";
    // A chessboard of 100 and 110: its Laplacian is 40 and -40.
    EXPECT_NEAR(*measureSharpness(greyFrames(2, [](int, int y, int x) { return 100 + 10 * ((x + y) % 2); })),
                40, 1e-2);
}

TEST(Sharpness, FallsWithBlur) {
    const auto edge = [](int width) {
        return *measureSharpness(greyFrames(1, [width](int, int, int x) {
            return x < 12 - width ? 20 : x >= 12 + width ? 220 : 120 + 100 * (x - 12) / width;
        }));
    };
    EXPECT_GT(edge(1), edge(3));
    EXPECT_GT(edge(3), edge(6));
}

TEST(FrameMeasures, CanBeStopped) {
    StopSource stop;
    stop.request_stop();
    const Tensor frames = greyFrames(4, [](int, int, int) { return 0; });
    EXPECT_THROW(measureFlicker(frames, stop.get_token()), Error);
    EXPECT_THROW(measureSharpness(frames, stop.get_token()), Error);
}

}  // namespace
}  // namespace meshreel
