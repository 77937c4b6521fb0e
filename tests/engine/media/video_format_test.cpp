// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_format.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

TEST(VideoFormat, TableIsComplete) {
    for (const VideoFormat format :
         {VideoFormat::Mp4, VideoFormat::WebM, VideoFormat::Gif, VideoFormat::WebP, VideoFormat::Png}) {
        const VideoFormatInfo& info = videoFormatInfo(format);
        EXPECT_EQ(findVideoFormat(info.name), &info);
        EXPECT_TRUE(info.help.ends_with("."));
    }
    EXPECT_EQ(findVideoFormat("avi"), nullptr);
}

TEST(VideoFormat, ExtensionsAreReplacedOrAdded) {
    EXPECT_EQ(withVideoExtension("a/clip.mp4", VideoFormat::WebM), "a/clip.webm");
    EXPECT_EQ(withVideoExtension("a/clip.mp4", VideoFormat::Png), "a/clip");
    EXPECT_EQ(withVideoExtension("a/clip v1.2", VideoFormat::Mp4), "a/clip v1.2.mp4");
    EXPECT_EQ(projectBeside("a/clip.gif"), "a/clip.project.yaml");
    EXPECT_EQ(projectBeside("a/clip/"), "a/clip.project.yaml");
}

}  // namespace
}  // namespace meshreel
