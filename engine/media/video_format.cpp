// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_format.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/error.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::array formatTable{
    VideoFormatInfo{VideoFormat::Mp4, "mp4", "MP4 (H.264)", ".mp4", "mp4", "libx264", true,
                    "H.264 in MP4, plays everywhere; carries the project in its metadata."},
    VideoFormatInfo{VideoFormat::WebM, "webm", "WebM (VP9)", ".webm", "webm", "libvpx-vp9", true,
                    "VP9 in WebM, royalty-free, for browsers; carries the project in its metadata."},
    VideoFormatInfo{
        VideoFormat::Gif, "gif", "Animated GIF", ".gif", "gif", "gif", false,
        "Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second."},
    VideoFormatInfo{VideoFormat::WebP, "webp", "Animated WebP", ".webp", "webp", "libwebp_anim", false,
                    "Looping animated WebP, smaller and truer in colour than GIF; equal neighbours become "
                    "one longer frame."},
    VideoFormatInfo{VideoFormat::Png, "png", "PNG frames", "", "image2", "png", false,
                    "A folder of lossless frames, frame_00001.png and on, for editing elsewhere."},
};

bool isFormatExtension(const std::string& extension) {
    return extension == ".png" || std::ranges::any_of(formatTable, [&](const VideoFormatInfo& row) {
               return !extension.empty() && row.extension == extension;
           });
}

}  // namespace

std::span<const VideoFormatInfo> videoFormats() {
    return formatTable;
}

const VideoFormatInfo& videoFormatInfo(VideoFormat format) {
    const auto* const row = std::ranges::find(formatTable, format, &VideoFormatInfo::format);
    if (row == formatTable.end())
        throw Error(ErrorKind::Internal, "a video format has no row in the table of formats");
    return *row;
}

const VideoFormatInfo* findVideoFormat(std::string_view name) {
    const auto* const row = std::ranges::find(formatTable, name, &VideoFormatInfo::name);
    return row == formatTable.end() ? nullptr : row;
}

fs::path withVideoExtension(const fs::path& file, VideoFormat format) {
    fs::path stem = file;
    if (isFormatExtension(file.extension().string()))
        stem.replace_extension();
    stem += videoFormatInfo(format).extension;
    return stem;
}

fs::path projectBeside(const fs::path& media) {
    fs::path stem = media.has_filename() ? media : media.parent_path();
    if (isFormatExtension(stem.extension().string()))
        stem.replace_extension();
    stem += ".project.yaml";
    return stem;
}

}  // namespace meshreel
