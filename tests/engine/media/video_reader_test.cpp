// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_reader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <map>

#include "clips.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/tone_mapping.h"
#include "engine/media/video_writer.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::At;
using ::testing::ElementsAre;
using testing::expectFaults;
using testing::Names;
using testing::Refusal;

/// How reading ends.
Refusal refusal(const fs::path& media) {
    return testing::refusalOf(ErrorKind::Input, [&media] { readVideo(media); });
}

TEST(VideoReader, WhatIsNoVideoIsRefusedQuietly) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "text.mp4", "version: 1\nprompt: a ball\n");
    // A playlist must not make the reader open what it lists.
    writeFileAtomically(folder / "list.mp4", "ffconcat version 1.0\nfile /etc/passwd\n");
    ::testing::internal::CaptureStderr();
    expectFaults({{"no video", refusal(folder / "text.mp4")}, {"no video", refusal(folder / "list.mp4")}});
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(VideoReader, WhatIsNoFileIsNeverOpened) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "empty.mp4", "");
    writeFileAtomically(folder / "text.mp4", "version: 1\nprompt: a ball\n");
    ASSERT_EQ(::mkfifo((folder / "pipe.mp4").c_str(), 0600), 0);
    fs::create_directory(folder / "frames");
    ASSERT_EQ(::mkfifo((folder / "frames" / "frame_00001.png").c_str(), 0600), 0);
    EXPECT_THAT(refusal("/nowhere/clip.mp4"), At("/nowhere/clip.mp4"));
    expectFaults({{"missing", refusal("/nowhere/clip.mp4")},
                  {"empty", refusal(folder / "empty.mp4")},
                  {"no file", refusal(folder / "pipe.mp4")},
                  {"no file", refusal("/dev/zero")},
                  {"a frame that is no file", refusal(folder / "frames")},
                  {"no video", refusal(folder / "text.mp4")}});
}

TEST(VideoReader, AFrameIsNoLinkOutOfItsFolder) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    options.format = VideoFormat::Png;
    const fs::path clip = writeVideo(folder / "clip", testing::walkingSquare(2), options).file;
    fs::create_symlink("frame_00001.png", clip / "frame_00003.png");
    EXPECT_EQ(readVideo(clip).extent(0), 3);
    fs::copy_file(clip / "frame_00001.png", folder / "outside.png");
    fs::create_symlink("../outside.png", clip / "frame_00004.png");
    const Refusal link = refusal(clip);
    EXPECT_THAT(link, At(::testing::EndsWith("frame_00004.png")));
    fs::remove(clip / "frame_00004.png");
    ASSERT_EQ(::mkfifo((clip / "frame_00004.png").c_str(), 0600), 0);
    expectFaults({{"a link", link}, {"no file", refusal(clip)}});
}

/// A file of tests/data/media; its README says how it was made.
fs::path medium(const char* name) {
    return testing::testData() / "media" / name;
}

TEST(VideoReader, FramesThatAreNotShownAreNotCounted) {
    const std::map<const char*, std::int64_t> shown{
        {"cut.mp4", 12},            // an edit list hides the others
        {"open-gop-h264.mp4", 16},  // the first lacks its references
        {"open-gop-h264.mkv", 16},
        {"open-gop-hevc.mp4", 16},
        {"alt-ref.webm", 40}};
    for (const auto& [name, frames] : shown) {
        const ShownFrames counted = countShownFrames(medium(name));
        EXPECT_EQ(counted.count, frames) << name;
        EXPECT_FALSE(counted.damage.has_value()) << name;
        EXPECT_EQ(readVideo(medium(name)).extent(0), frames) << name;
    }
    EXPECT_EQ(probeVideo(medium("cut.mp4")).frames, 12);
    EXPECT_EQ(probeVideo(medium("alt-ref.webm")).frames, 40);
}

TEST(VideoReader, DamageEndsTheCount) {
    const testing::TemporaryFolder folder;
    const fs::path file = writeVideo(folder / "clip", testing::walkingSquare(17), {}).file;
    fs::resize_file(file, fs::file_size(file) * 9 / 10);
    const ShownFrames counted = countShownFrames(file);
    EXPECT_LT(counted.count, 17);
    ASSERT_TRUE(counted.damage.has_value());
    EXPECT_THAT(counted.damage->problem(), Names(std::to_string(counted.count + 1), "17"));
}

/// By ffmpeg 5.1 with zimg: zscale=t=linear:npl=100, zscale=p=bt709, tonemap=hable:desat=0:peak=10,
/// zscale=t=bt709 of grey.
TEST(ToneMapper, GreyIsWhatFfmpegMakesOfIt) {
    constexpr std::array<std::uint16_t, 9> codes{0, 8192, 16384, 24576, 32768, 40960, 49152, 57344, 65535};
    std::vector<std::uint16_t> wide;
    for (const std::uint16_t code : codes)
        wide.insert(wide.end(), 3, code);
    const auto toGrey = [&](HdrTransfer transfer) {
        std::vector<std::uint8_t> rgb(wide.size());
        ToneMapper(transfer, 1000).map(wide, rgb);
        std::vector<int> grey;
        for (std::size_t i = 0; i < rgb.size(); i += 3) {
            EXPECT_LE(std::abs(rgb[i] - rgb[i + 1]) + std::abs(rgb[i] - rgb[i + 2]), 1) << i;
            grey.push_back(rgb[i]);
        }
        return grey;
    };
    EXPECT_THAT(toGrey(HdrTransfer::Hlg), ElementsAre(0, 33, 65, 96, 124, 156, 193, 228, 255));
    EXPECT_THAT(toGrey(HdrTransfer::Pq), ElementsAre(0, 20, 50, 95, 153, 213, 255, 255, 255));
}

TEST(VideoReader, EveryFrameOfAnAnimatedPngIsRead) {
    const VideoInfo info = probeVideo(medium("animated.png"));
    EXPECT_EQ(info.frames, 4);
    EXPECT_EQ(info.fps, 8);
    const Tensor frames = readVideo(medium("animated.png"));
    ASSERT_EQ(frames.extent(0), 4);
    EXPECT_NE(frames.slice(0, 1).data<std::uint8_t>()[0], frames.slice(3, 4).data<std::uint8_t>()[0]);
}

TEST(VideoReader, HighDynamicRangeIsNamedAndToneMapped) {
    EXPECT_EQ(highDynamicRange(probeVideo(medium("hlg.mp4"))), "HLG");
    EXPECT_EQ(highDynamicRange(probeVideo(medium("pq.mp4"))), "PQ");
    EXPECT_EQ(highDynamicRange(probeVideo(medium("cut.mp4"))), "");
    for (const char* name : {"hlg.mp4", "pq.mp4"}) {
        const Tensor frames = readVideo(medium(name));
        EXPECT_EQ(frames.extent(0), 4) << name;
        // ffmpeg's first frame has means of 75, 32, 45 (HLG) and 71, 23, 38 (PQ): far from the 0.5 of SDR.
        std::array<double, 3> mean{};
        const auto first = frames.slice(0, 1).data<std::uint8_t>();
        for (std::size_t i = 0; i < first.size(); ++i)
            mean.at(i % 3) += 3.0 * first[i] / static_cast<double>(first.size());
        const std::array<double, 3> ffmpeg =
            std::string_view(name) == "hlg.mp4" ? std::array{74.5, 31.6, 44.8} : std::array{71.0, 23.1, 37.6};
        for (std::size_t colour = 0; colour < 3; ++colour)
            EXPECT_NEAR(mean.at(colour), ffmpeg.at(colour), 8.0) << name;
    }
}

TEST(VideoReader, AnEmptyFolderIsRefused) {
    const testing::TemporaryFolder folder;
    EXPECT_THAT(refusal(folder.path()), AllOf(At(folder.path().string()), Names("frame_00001.png")));
}

TEST(VideoReader, TruncatedFilesAreRefusedQuietly) {
    const testing::TemporaryFolder folder;
    for (const VideoFormat format :
         {VideoFormat::Mp4, VideoFormat::WebM, VideoFormat::Gif, VideoFormat::WebP}) {
        VideoOptions options;
        options.format = format;
        const fs::path file = writeVideo(folder / "clip", testing::walkingSquare(17), options).file;
        const std::string bytes = readFile(file);
        ::testing::internal::CaptureStderr();
        for (const double share : {0.05, 0.4, 0.7, 0.95}) {
            writeFileAtomically(file,
                                std::string_view(bytes).substr(
                                    0, static_cast<std::size_t>(share * static_cast<double>(bytes.size()))));
            EXPECT_TRUE(refusal(file)) << file << " cut to " << share;
        }
        EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
}

TEST(VideoReader, DamagedAnimatedWebPIsRefused) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    options.format = VideoFormat::WebP;
    const fs::path file = writeVideo(folder / "clip", testing::walkingSquare(3), options).file;
    const std::string bytes = readFile(file);
    const auto refusalWith = [&](std::size_t place, std::string_view damage) {
        writeFileAtomically(file, std::string(bytes).replace(place, damage.size(), damage));
        return refusal(file);
    };
    constexpr std::size_t canvasWidth = 24;
    const Refusal size = refusalWith(canvasWidth, std::string_view("\xFF\x3F\0", 3));
    const Refusal parts = refusalWith(canvasWidth, std::string_view("\1\0\0", 3));
    const std::size_t picture = bytes.find("VP8 ");
    ASSERT_NE(picture, std::string::npos);
    const Refusal frame = refusalWith(picture + 24, std::string(20, '\xFF'));
    EXPECT_THAT(frame, Names("1"));
    expectFaults({{"size", size}, {"parts", parts}, {"frame", frame}});
}

TEST(VideoReader, NoProjectAnywhereSaysSo) {
    const testing::TemporaryFolder folder;
    const fs::path file = writeVideo(folder / "clip", testing::walkingSquare(2), {}).file;
    try {
        readProjectFromMedia(file);
        FAIL() << "there was no project";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("clip.project.yaml"));
    }
}

}  // namespace
}  // namespace meshreel
