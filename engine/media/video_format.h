// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace meshreel {

enum class VideoFormat { Mp4, WebM, Gif, WebP, Png };

/// What the project keys, the command line and the Studio say about a format.
struct VideoFormatInfo {
    VideoFormat format;
    std::string_view name;       ///< as the project spells it, e.g. "mp4"
    std::string_view title;      ///< as people read it, e.g. "MP4 (H.264)"
    std::string_view extension;  ///< with its dot; empty for a folder of frames
    std::string_view container;  ///< libavformat's name
    std::string_view encoder;    ///< libavcodec's name
    bool carriesProject;         ///< the project lies inside; otherwise in NAME.project.yaml beside
    std::string_view help;       ///< one sentence
};

/// Every format, in the order to offer them; the first is the default.
std::span<const VideoFormatInfo> videoFormats();

const VideoFormatInfo& videoFormatInfo(VideoFormat format);

/// The row of that name; nullptr when there is none.
const VideoFormatInfo* findVideoFormat(std::string_view name);

/// `file` under the format's extension: the extension of another format is replaced, any other name is
/// extended. "clip.mp4" is "clip.webm" as WebM and "clip" as a folder of frames.
std::filesystem::path withVideoExtension(const std::filesystem::path& file, VideoFormat format);

/// Where the project lies for media that cannot carry it: "clip.gif" (or the folder "clip") ->
/// "clip.project.yaml".
std::filesystem::path projectBeside(const std::filesystem::path& media);

}  // namespace meshreel
