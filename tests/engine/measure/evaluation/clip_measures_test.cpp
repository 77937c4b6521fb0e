// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "drawn_clip.h"
#include "engine/measure/evaluation/clip_measures.h"
#include "engine/measure/evaluation/scene_clip.h"

namespace meshreel {
namespace {

using testing::blurred;
using testing::drawClip;
using testing::DrawnScene;

std::vector<std::string_view> motions() {
    std::vector<std::string_view> all(directionNames().begin(), directionNames().end());
    all.insert(all.end(), otherMotionNames().begin(), otherMotionNames().end());
    return all;
}

template <typename Names>
auto anyOf(const Names& names, std::mt19937& random) {
    return names[random() % names.size()];
}

/// A scene of shape and motion, all else at random.
DrawnScene randomScene(std::string_view shape, std::string_view motion, std::mt19937& random) {
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    DrawnScene scene{.shape = shape, .motion = motion};
    do {
        scene.colour = anyOf(objectColours(), random).name;
        scene.background = anyOf(backgroundColours(), random).name;
    } while (scene.colour == scene.background);
    scene.radius = 0.15 + 0.1 * unit(random);
    scene.tilt = unit(random) - 0.5;
    scene.phase = unit(random);
    return scene;
}

std::string toText(const DrawnScene& scene) {
    return std::string(scene.colour) + " " + std::string(scene.shape) + " " + std::string(scene.motion) +
           " on " + std::string(scene.background) + ", radius " + std::to_string(scene.radius) + ", tilt " +
           std::to_string(scene.tilt) + ", phase " + std::to_string(scene.phase);
}

TEST(Measures, FindInADrawnClipWhatWasDrawn) {
    std::mt19937 random(11);
    for (const std::string_view shape : shapeNames())
        for (const std::string_view motion : motions())
            for (int variant = 0; variant < 3; ++variant) {
                const DrawnScene scene = randomScene(shape, motion, random);
                SCOPED_TRACE(toText(scene));
                const ClipFindings found = measureClip(drawClip(scene));
                ASSERT_TRUE(found.present);
                EXPECT_EQ(found.background, scene.background);
                EXPECT_EQ(found.colour, scene.colour);
                EXPECT_EQ(found.shape, scene.shape);
                EXPECT_EQ(found.motion, scene.motion);
                EXPECT_DOUBLE_EQ(found.flicker, 0.0);
                EXPECT_GE(found.edgeWidth, 1.0);
                EXPECT_LE(found.edgeWidth, 2.2);
            }
}

TEST(Measures, WorkAtOtherSizesAndLengths) {
    for (const std::string_view shape : shapeNames()) {
        const DrawnScene scene{.shape = shape, .motion = "left", .width = 192, .height = 128, .frames = 33};
        const ClipFindings found = measureClip(drawClip(scene));
        EXPECT_EQ(found.shape, shape);
        EXPECT_EQ(found.motion, "left");
    }
}

TEST(Measures, TellSmallBentShapesAlikeWell) {
    constexpr int clips = 40;
    std::mt19937 random(3);
    for (const std::string_view shape : shapeNames()) {
        int told = 0;
        for (int i = 0; i < clips; ++i) {
            DrawnScene scene = randomScene(shape, "still", random);
            scene.radius *= 0.7;
            scene.bend = 0.1;
            scene.frames = 2;
            told += measureClip(drawClip(scene)).shape == shape ? 1 : 0;
        }
        EXPECT_GE(told, clips * 9 / 10) << shape;
    }
}

TEST(Measures, AnEmptyClipHasNoSubject) {
    // As large as a subject can be that nobody sees.
    const ClipFindings found = measureClip(drawClip({.background = "navy", .radius = 0.01}));
    EXPECT_FALSE(found.present);
    EXPECT_EQ(found.background, "navy");
    EXPECT_TRUE(found.shape.empty());
}

TEST(Measures, BlurWidensEdges) {
    const Tensor sharp = drawClip({.shape = "square", .radius = 0.25});
    const double width = measureClip(sharp).edgeWidth;
    const double widerBy1 = measureClip(blurred(sharp, 1)).edgeWidth;
    const double widerBy2 = measureClip(blurred(sharp, 2)).edgeWidth;
    EXPECT_GT(widerBy1, width + 0.5);
    EXPECT_GT(widerBy2, widerBy1 + 0.5);
    EXPECT_GT(widerBy2, 2.5);
}

TEST(Measures, FlickerIsTheMeanChangeOfTheBackground) {
    constexpr std::uint8_t brighter = 6;
    Tensor clip = drawClip({.background = "gray", .motion = "still"});
    const std::int64_t frame = clip.elements() / clip.extent(0);
    for (std::int64_t t = 1; t < clip.extent(0); t += 2)
        for (std::uint8_t& value : clip.slice(t, t + 1).data<std::uint8_t>())
            value = static_cast<std::uint8_t>(std::min(255, value + brighter));
    ASSERT_GT(frame, 0);
    EXPECT_NEAR(measureClip(clip).flicker, brighter, 0.01);
}

TEST(Measures, AFirstFrameThatIsSharperThanTheOthersIsNoMotion) {
    const Tensor sharp = drawClip({.shape = "star", .background = "gray", .motion = "still", .radius = 0.2});
    Tensor clip = blurred(sharp, 2);
    std::ranges::copy(sharp.slice(0, 1).data<std::uint8_t>(), clip.slice(0, 1).data<std::uint8_t>().begin());
    EXPECT_EQ(measureClip(clip).motion, "still");
}

TEST(Measures, NoiseIsNoMotionAndNoShape) {
    std::mt19937 random(5);
    for (const std::string_view shape : shapeNames()) {
        Tensor clip = drawClip({.shape = shape, .background = "gray", .motion = "still", .radius = 0.25});
        for (std::uint8_t& value : clip.data<std::uint8_t>())
            value = static_cast<std::uint8_t>(
                std::clamp(int{value} + static_cast<int>(random() % 9) - 4, 0, 255));
        const ClipFindings found = measureClip(clip);
        EXPECT_EQ(found.shape, shape);
        EXPECT_EQ(found.motion, "still");
        EXPECT_GT(found.flicker, 1.0);
    }
}

}  // namespace
}  // namespace meshreel
