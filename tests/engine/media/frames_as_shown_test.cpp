// SPDX-License-Identifier: GPL-3.0-or-later
// Media whose stored numbers are not what is shown: pixels that are not square, two fields, dropped frames,
// pictures with something behind them, colours of another space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/media/colour_profile.h"
#include "engine/media/fields.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/video_reader.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

/// A file of tests/data/media; its README says how it was made.
fs::path media(const char* name) {
    return testing::testData() / "media" / name;
}

TEST(PixelShape, AFrameIsAsWideAsItIsShown) {
    const VideoInfo info = probeVideo(media("wide.mp4"));
    EXPECT_EQ(info.width, 64) << "32 pixels, each twice as wide as high";
    EXPECT_EQ(info.height, 32);
    const Tensor frames = readVideo(media("wide.mp4"));
    EXPECT_EQ(frames.shape(), Shape({3, 32, 64, 3}));
    EXPECT_EQ(countShownFrames(media("wide.mp4")).count, 3);
}

/// Of neighbouring lines the mean difference, where nothing but a comb differs.
double lineDifference(const Tensor& frame) {
    const std::int64_t rowBytes = frame.extent(1) * 3;
    const auto bytes = frame.data<std::uint8_t>();
    double sum = 0;
    for (std::int64_t row = 9; row < 19; ++row)  // within the square
        for (std::int64_t i = 0; i < rowBytes; ++i)
            sum += std::abs(bytes[static_cast<std::size_t>(row * rowBytes + i)] -
                            bytes[static_cast<std::size_t>((row - 1) * rowBytes + i)]);
    return sum / static_cast<double>(10 * rowBytes);
}

TEST(Fields, OfAnInterlacedVideoLeaveNoComb) {
    const Tensor frames = readVideo(media("fields.mp4"));
    ASSERT_EQ(frames.extent(0), 3);
    for (std::int64_t t = 0; t < 3; ++t)
        EXPECT_LT(lineDifference(frames.slice(t, t + 1).reshaped({48, 64, 3})), 3) << t;
}

TEST(Fields, OnlyLinesThatCombAreReplaced) {
    constexpr std::int64_t width = 1;
    const auto rows = [](std::array<std::uint8_t, 6> values) {
        std::vector<std::uint8_t> rgb;
        for (const std::uint8_t value : values)
            rgb.insert(rgb.end(), 3, value);
        return rgb;
    };
    const auto without = [&](std::array<std::uint8_t, 6> values, std::int64_t later) {
        std::vector<std::uint8_t> rgb = rows(values);
        removeComb(rgb, width, later);
        std::vector<int> grey;
        for (std::size_t i = 0; i < rgb.size(); i += 3)
            grey.push_back(rgb[i]);
        return grey;
    };
    EXPECT_THAT(without({10, 200, 20, 200, 30, 200}, 1), ElementsAre(10, 15, 20, 25, 30, 200));
    EXPECT_THAT(without({200, 10, 200, 20, 200, 30}, 0), ElementsAre(200, 10, 15, 20, 25, 30));
    EXPECT_THAT(without({10, 20, 30, 40, 50, 60}, 1), ElementsAre(10, 20, 30, 40, 50, 60)) << "a slope";
    EXPECT_THAT(without({10, 14, 10, 14, 10, 14}, 1), ElementsAre(10, 14, 10, 14, 10, 14)) << "noise";
}

TEST(DroppedFrames, OfAnAviAreNoDamage) {
    const ShownFrames shown = countShownFrames(media("dropped.avi"));
    EXPECT_EQ(shown.count, 6);
    EXPECT_FALSE(shown.damage.has_value());
    const VideoInfo info = probeVideo(media("dropped.avi"));
    EXPECT_TRUE(info.variableRate);
    EXPECT_NEAR(info.fps, 5 * 25.0 / 9, 0.01) << "the frames that are there";
    const std::vector<std::int64_t> counts{readFrames(media("dropped.avi"), {.fps = 25}).extent(0),
                                           readFrames(media("dropped.avi"), {}).extent(0)};
    EXPECT_EQ(counts[1], 6);
    EXPECT_GE(counts[0], 10) << "each frame stays until the next";
}

TEST(DroppedFrames, AreToldFromAnAviThatIsCutShort) {
    const testing::TemporaryFolder folder;
    std::string bytes = readFile(media("dropped.avi"));
    const std::size_t index = bytes.find("idx1");
    ASSERT_NE(index, std::string::npos);
    bytes.resize(index - 500);
    writeFileAtomically(folder / "cut.avi", bytes);
    EXPECT_TRUE(countShownFrames(folder / "cut.avi").damage.has_value());
}

TEST(Picture, EndsWhereItEnds) {
    const Tensor image = readImage(media("motion.jpg"));
    EXPECT_EQ(image.shape(), Shape({64, 64, 3}));
    EXPECT_EQ(probeVideo(media("motion.jpg")).frames, 1);
    EXPECT_EQ(readVideo(media("motion.jpg")).extent(0), 1);
}

TEST(Picture, OfFourColoursIsNotTakenForTransparent) {
    const testing::Refusal refused =
        testing::refusalOf(ErrorKind::Input, [] { readImage(media("four-colours.jpg")); });
    EXPECT_THAT(refused, testing::At(media("four-colours.jpg").string()));
}

TEST(ColourProfile, OfAPhoneBecomesSrgb) {
    const Tensor image = readImage(media("p3.png"));
    const auto bytes = image.data<std::uint8_t>();
    // (200, 60, 40) of Display P3, by the matrices of both
    EXPECT_NEAR(bytes[0], 217, 1);
    EXPECT_NEAR(bytes[1], 42, 1);
    EXPECT_NEAR(bytes[2], 23, 1);
}

TEST(ColourProfile, NonsenseChangesNothing) {
    EXPECT_FALSE(ColourProfile::read({}).has_value());
    std::vector<std::uint8_t> icc(132, 0);
    EXPECT_FALSE(ColourProfile::read(icc).has_value());
    const std::string_view spaces = "RGB XYZ ";
    std::copy(spaces.begin(), spaces.end(), icc.begin() + 16);
    icc[131] = 9;  // tags that are not there
    EXPECT_FALSE(ColourProfile::read(icc).has_value());
    icc[128] = 0xff;  // four thousand million of them
    icc.resize(140, 0xff);
    EXPECT_FALSE(ColourProfile::read(icc).has_value());
}

}  // namespace
}  // namespace meshreel
