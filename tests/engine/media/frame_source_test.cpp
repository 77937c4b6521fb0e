// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "clips.h"
#include "engine/base/error.h"
#include "engine/media/image.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "tests/support/locations.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t frameCount = 12;
constexpr double storedRate = 8.0;

/// Frames of one grey each, 20 levels apart.
Tensor greys() {
    Tensor clip = Tensor::empty({frameCount, 32, 48, 3}, DType::U8);
    for (std::int64_t frame = 0; frame < frameCount; ++frame)
        std::ranges::fill(clip.slice(frame, frame + 1).data<std::uint8_t>(),
                          static_cast<std::uint8_t>(20 * frame));
    return clip;
}

/// Which of the frames of greys() these are.
std::vector<int> tabulate(const Tensor& frames) {
    std::vector<int> numbers;
    for (std::int64_t frame = 0; frame < frames.extent(0); ++frame) {
        const Tensor one = frames.slice(frame, frame + 1);
        numbers.push_back((one.data<std::uint8_t>()[0] + 10) / 20);
    }
    return numbers;
}

class VideoFrames : public ::testing::Test {
  protected:
    void SetUp() override {
        VideoOptions options;
        options.fps = storedRate;
        m_file = writeVideo(m_folder / "clip", greys(), options).file;
    }

    [[nodiscard]] std::vector<int> numbers(const FrameSelection& selection) const {
        return tabulate(readFrames(m_file, selection));
    }

    testing::TemporaryFolder m_folder;
    fs::path m_file;
};

TEST_F(VideoFrames, AllOfThemAsStored) {
    const Tensor frames = readFrames(m_file, {});
    EXPECT_EQ(frames.shape(), (Shape{frameCount, 32, 48, 3}));
    EXPECT_THAT(tabulate(frames), ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    const Tensor all = readVideo(m_file);
    EXPECT_TRUE(std::ranges::equal(frames.data<std::uint8_t>(), all.data<std::uint8_t>()));
}

TEST_F(VideoFrames, TheNearestFrameStandsForATime) {
    EXPECT_THAT(numbers({.fps = storedRate}), ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    EXPECT_THAT(numbers({.fps = storedRate / 2}), ::testing::ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_THAT(numbers({.fps = storedRate / 3}), ::testing::ElementsAre(0, 3, 6, 9));
    EXPECT_THAT(numbers({.fps = 2 * storedRate, .frames = 7}), ::testing::ElementsAre(0, 0, 1, 1, 2, 2, 3));
    EXPECT_EQ(numbers({.fps = 2 * storedRate}).size(), std::size_t{2 * frameCount});
    EXPECT_THAT(numbers({.fps = 12.0, .frames = 6}), ::testing::ElementsAre(0, 1, 1, 2, 3, 3));
}

TEST_F(VideoFrames, ARateThatIsNearlyTheSameTakesEveryFrame) {
    EXPECT_THAT(numbers({.fps = storedRate * 1.009}), ::testing::SizeIs(frameCount));
    EXPECT_THAT(numbers({.fps = storedRate * 1.02, .frames = 3}), ::testing::ElementsAre(0, 1, 2));
    EXPECT_THAT(numbers({.fps = storedRate * 1.02}), ::testing::SizeIs(frameCount + 1));
    EXPECT_EQ(sampledFrames(static_cast<double>(frameCount) / storedRate, storedRate / 2), frameCount / 2);
}

TEST(VariableRate, GoesByTheTimesOfTheFrames) {
    const fs::path file = testing::testData() / "media" / "variable.mp4";
    const VideoInfo info = probeVideo(file);
    EXPECT_TRUE(info.variableRate);
    EXPECT_TRUE(isSampled(info, info.fps));
    const Tensor stored = readFrames(file, {});
    const Tensor sampled = readFrames(file, {.fps = 16.0});
    ASSERT_EQ(stored.extent(0), 8);
    ASSERT_GE(sampled.extent(0), 16);
    const auto isFrame = [&](std::int64_t place, std::int64_t frame) {
        return std::ranges::equal(sampled.slice(place, place + 1).data<std::uint8_t>(),
                                  stored.slice(frame, frame + 1).data<std::uint8_t>());
    };
    EXPECT_TRUE(isFrame(3, 3));
    EXPECT_TRUE(isFrame(7, 3)) << "it is on show until the gap is half over";
    EXPECT_TRUE(isFrame(8, 4));
    EXPECT_TRUE(isFrame(12, 4));
    EXPECT_TRUE(isFrame(15, 7));
}

TEST(VariableRate, IsHalfAFrameAwayFromTheMean) {
    EXPECT_FALSE(isVariableRate(std::vector<double>{0, 62, 125, 187, 250}));  // whole milliseconds
    EXPECT_TRUE(isVariableRate(std::vector<double>{0, 10, 20, 200}));
    EXPECT_FALSE(isVariableRate(std::vector<double>{0, 500}));
}

TEST_F(VideoFrames, NoMoreThanAskedFor) {
    EXPECT_THAT(numbers({.frames = 3}), ::testing::ElementsAre(0, 1, 2));
    EXPECT_THAT(numbers({.fps = storedRate, .frames = 50}), ::testing::SizeIs(frameCount));
}

TEST_F(VideoFrames, EveryFrameIsResized) {
    const Tensor square = readFrames(m_file, {.frames = 2, .height = 16, .width = 16});
    EXPECT_EQ(square.shape(), (Shape{2, 16, 16, 3}));
    const Tensor first = readFrames(m_file, {.frames = 1}).reshaped({32, 48, 3});
    const Tensor cover = readFrames(m_file, {.frames = 1, .height = 64, .width = 64, .fit = FrameFit::Cover});
    const Tensor expected = resizeToCover(first, 64, 64, Resampling::Lanczos);
    EXPECT_TRUE(std::ranges::equal(cover.data<std::uint8_t>(), expected.data<std::uint8_t>()));
}

TEST_F(VideoFrames, AFolderHasTheRateAskedFor) {
    VideoOptions options;
    options.format = VideoFormat::Png;
    const fs::path folder = writeVideo(m_folder / "frames", greys(), options).file;
    EXPECT_THAT(tabulate(readFrames(folder, {.fps = 24.0, .frames = 4})), ::testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(VideoFrames, AnImageIsOneFrame) {
    writePng(m_folder / "one.png", greys().slice(3, 4).reshaped({32, 48, 3}));
    EXPECT_THAT(tabulate(readFrames(m_folder / "one.png", {.fps = 16.0})), ::testing::ElementsAre(3));
}

TEST_F(VideoFrames, WhatIsNoFileIsRefused) {
    EXPECT_THROW(static_cast<void>(readFrames("/dev/null", {})), Error);
    EXPECT_THROW(static_cast<void>(readFrames(m_folder / "none.mp4", {})), Error);
}

}  // namespace
}  // namespace meshreel
