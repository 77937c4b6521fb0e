// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_reader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <map>

#include "clips.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/video_writer.h"
#include "tests/support/locations.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The sentence of the Error{Input} that reading gives, or "" when it reads.
std::string refusal(const fs::path& media) {
    try {
        readVideo(media);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        return error.what();
    }
    return {};
}

TEST(VideoReader, MissingFile) {
    EXPECT_THAT(refusal("/nowhere/clip.mp4"), HasSubstr("there is no such file"));
}

TEST(VideoReader, WhatIsNoVideoIsRefusedQuietly) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "text.mp4", "version: 1\nprompt: a ball\n");
    // A playlist must not make the reader open what it lists.
    writeFileAtomically(folder / "list.mp4", "ffconcat version 1.0\nfile /etc/passwd\n");
    ::testing::internal::CaptureStderr();
    for (const char* name : {"text.mp4", "list.mp4"})
        EXPECT_THAT(refusal(folder / name), HasSubstr("not a video or image that can be read")) << name;
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(VideoReader, WhatIsNoFileIsNeverOpened) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "empty.mp4", "");
    EXPECT_THAT(refusal(folder / "empty.mp4"), HasSubstr("the file is empty"));
    ASSERT_EQ(::mkfifo((folder / "pipe.mp4").c_str(), 0600), 0);
    EXPECT_THAT(refusal(folder / "pipe.mp4"), HasSubstr("this is not a file"));
    EXPECT_THAT(refusal("/dev/zero"), HasSubstr("this is not a file"));
    fs::create_directory(folder / "frames");
    ASSERT_EQ(::mkfifo((folder / "frames" / "frame_00001.png").c_str(), 0600), 0);
    EXPECT_THAT(refusal(folder / "frames"), HasSubstr("this frame is not a file"));
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
    EXPECT_THAT(refusal(clip), HasSubstr("frame_00004.png: this frame is a link out of the folder"));
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
    EXPECT_THAT(counted.damage->what(), HasSubstr("of 17 cannot be read"));
}

TEST(VideoReader, HighDynamicRangeIsNamedAndRefused) {
    EXPECT_EQ(highDynamicRange(probeVideo(medium("hlg.mp4"))), "HLG");
    EXPECT_EQ(highDynamicRange(probeVideo(medium("pq.mp4"))), "PQ");
    EXPECT_EQ(highDynamicRange(probeVideo(medium("cut.mp4"))), "");
    for (const char* name : {"hlg.mp4", "pq.mp4"}) {
        EXPECT_THAT(refusal(medium(name)), HasSubstr("high dynamic range")) << name;
        EXPECT_THAT(refusal(medium(name)), HasSubstr("ffmpeg -i IN")) << name;
        EXPECT_THROW(static_cast<void>(probeFirstFrame(medium(name))), Error) << name;
    }
}

TEST(VideoReader, AnEmptyFolderIsRefused) {
    const testing::TemporaryFolder folder;
    EXPECT_THAT(refusal(folder.path()), HasSubstr("holds no frames named frame_00001.png"));
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
            EXPECT_NE(refusal(file), "") << file << " cut to " << share;
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
    EXPECT_THAT(refusalWith(canvasWidth, std::string_view("\xFF\x3F\0", 3)), HasSubstr("an impossible size"));
    EXPECT_THAT(refusalWith(canvasWidth, std::string_view("\1\0\0", 3)), HasSubstr("do not fit together"));
    const std::size_t picture = bytes.find("VP8 ");
    ASSERT_NE(picture, std::string::npos);
    const std::string frame = refusalWith(picture + 24, std::string(20, '\xFF'));
    EXPECT_THAT(frame, HasSubstr("frame 1 cannot be decoded"));
    EXPECT_THAT(frame, HasSubstr("copy or write it again"));
}

TEST(VideoReader, NoProjectAnywhereSaysSo) {
    const testing::TemporaryFolder folder;
    const fs::path file = writeVideo(folder / "clip", testing::walkingSquare(2), {}).file;
    try {
        readProjectFromMedia(file);
        FAIL() << "there was no project";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("clip.project.yaml"));
    }
}

}  // namespace
}  // namespace meshreel
