// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_reader.h"

#include <gmock/gmock.h>

#include "clips.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/media/video_writer.h"
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
    writeFileAtomically(folder / "empty.mp4", "");
    writeFileAtomically(folder / "text.mp4", "version: 1\nprompt: a ball\n");
    // A playlist must not make the reader open what it lists.
    writeFileAtomically(folder / "list.mp4", "ffconcat version 1.0\nfile /etc/passwd\n");
    ::testing::internal::CaptureStderr();
    for (const char* name : {"empty.mp4", "text.mp4", "list.mp4"})
        EXPECT_THAT(refusal(folder / name), HasSubstr("not a video or image that can be read")) << name;
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
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
