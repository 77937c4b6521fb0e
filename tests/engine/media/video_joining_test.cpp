// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_joining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

VideoOptions optionsOf(VideoFormat format) {
    VideoOptions options;
    options.format = format;
    return options;
}

/// Videos of frames that are one level each.
class VideoJoining : public ::testing::Test {
  protected:
    VideoPart part(const std::string& name, const std::vector<std::uint8_t>& levels, std::int64_t dropped = 0,
                   std::int64_t blended = 0, VideoFormat format = VideoFormat::Png) {
        Tensor frames = Tensor::empty({std::ssize(levels), 16, 32, 3}, DType::U8);
        for (std::int64_t index = 0; index < frames.extent(0); ++index)
            std::ranges::fill(frames.slice(index, index + 1).data<std::uint8_t>(),
                              levels[static_cast<std::size_t>(index)]);
        return {.video = writeVideo(m_folder / name, frames, optionsOf(format)).file,
                .dropped = dropped,
                .blended = blended};
    }

    std::vector<int> levelsOf(const std::vector<VideoPart>& parts) {
        m_joined = joinVideos(parts, m_folder / "joined", optionsOf(VideoFormat::Png));
        const Tensor frames = readVideo(m_joined.video.file);
        EXPECT_EQ(frames.extent(0), m_joined.frames);
        std::vector<int> levels;
        for (std::int64_t index = 0; index < frames.extent(0); ++index)
            levels.push_back(frames.slice(index, index + 1).data<std::uint8_t>().front());
        return levels;
    }

    testing::TemporaryFolder m_folder;
    JoinedVideo m_joined;
};

TEST_F(VideoJoining, FramesThatTwoPartsShareAreShownOnce) {
    EXPECT_THAT(levelsOf({part("a", {10, 20, 30}), part("b", {30, 40, 50}, 1), part("c", {60})}),
                ElementsAre(10, 20, 30, 40, 50, 60));
    EXPECT_FALSE(m_joined.whyEncoded.empty());
}

TEST_F(VideoJoining, OnePartPassesOverIntoTheNextInEvenSteps) {
    EXPECT_THAT(levelsOf({part("a", {0, 10, 10, 10}), part("b", {99, 40, 40, 50}, 3, 2)}),
                ElementsAre(0, 10, 20, 30, 50));
    EXPECT_THAT(levelsOf({part("a", {10, 10}), part("b", {40, 70, 70}, 1, 1), part("c", {100, 90}, 1, 1)}),
                ElementsAre(10, 25, 70, 85, 90));
}

TEST_F(VideoJoining, APartThatIsShorterThanThePassageTakesNothingAway) {
    EXPECT_THAT(levelsOf({part("a", {10}), part("b", {40, 40, 40}, 2, 2)}), ElementsAre(25, 40));
    EXPECT_THAT(levelsOf({part("a", {10, 10, 10}), part("b", {40}, 2, 2)}), ElementsAre(10, 20, 10));
}

TEST_F(VideoJoining, EncodedPicturesAreCopiedWhereNothingIsLeftOut) {
    std::vector<std::uint8_t> levels(9);
    std::iota(levels.begin(), levels.end(), std::uint8_t{20});
    const std::vector<VideoPart> parts{part("a", levels, 0, 0, VideoFormat::Mp4),
                                       part("b", levels, 0, 0, VideoFormat::Mp4)};
    m_joined = joinVideos(parts, m_folder / "joined", optionsOf(VideoFormat::Mp4));
    EXPECT_TRUE(m_joined.whyEncoded.empty()) << m_joined.whyEncoded.text();
    const Tensor joined = readVideo(m_joined.video.file);
    ASSERT_EQ(joined.extent(0), 18);
    const Tensor own = readVideo(parts.front().video);
    for (std::int64_t first = 0; first < 18; first += 9)
        EXPECT_TRUE(std::ranges::equal(joined.slice(first, first + 9).data<std::uint8_t>(),
                                       own.data<std::uint8_t>()));
}

// Short files are decoded with other delays than long ones.
TEST_F(VideoJoining, PartsOfAnyLengthMakeOneFile) {
    const std::vector<std::uint8_t> levels{10, 30, 50, 70, 90, 110, 130};
    for (std::size_t length = 1; length <= levels.size(); ++length) {
        const std::vector<VideoPart> parts{
            part("a", {200, 100}, 0, 0, VideoFormat::Mp4),
            part("b", {levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(length)}, 0, 0,
                 VideoFormat::Mp4),
            part("c", levels, 0, 0, VideoFormat::Mp4)};
        m_joined = joinVideos(parts, m_folder / "joined", optionsOf(VideoFormat::Mp4));
        EXPECT_EQ(readVideo(m_joined.video.file).extent(0), m_joined.frames);
        EXPECT_EQ(m_joined.frames, 2 + static_cast<std::int64_t>(length) + 7);
    }
}

}  // namespace
}  // namespace meshreel
