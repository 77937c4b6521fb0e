// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Tags as ITU-T H.273 numbers them, spelled as libavutil does ("bt709"); "unknown" when the file does not
/// say.
struct ColourTags {
    std::string matrix;
    std::string primaries;
    std::string transfer;
    std::string range;  ///< "tv" (limited) or "pc" (full)
};

struct VideoInfo {
    int width = 0;
    int height = 0;
    std::int64_t frames = 0;    ///< without frames that the file says are hidden
    bool framesExact = true;    ///< otherwise decoding may show a few less: see countShownFrames()
    double fps = 0.0;           ///< mean rate; 0 when not known (a still image, a folder of frames)
    bool variableRate = false;  ///< some frame is more than half a frame away from its place at the mean rate
    std::string codec;          ///< "h264", "vp9", "gif", "webp", "png", "drawing"
    std::string pixelFormat;    ///< pixel format as stored, "yuv420p"
    ColourTags colour;
    bool mayHaveAlpha = false;  ///< according to the file; for a folder: some frames may have it
    bool transparent = false;   ///< set by probeFirstFrame(): one of its pixels is not opaque
    std::map<std::string, std::string> metadata;  ///< metadata of the container, keys in lower case
};

/// Reads `media`: a video or image file, an animated WebP, a drawing of a mask, or a folder of numbered PNG
/// frames.
/// These throw Error{Input} with a sentence for what is missing, not a video, or broken.
VideoInfo probeVideo(const std::filesystem::path& media);

/// Probes and decodes the first frame: refuses media that cannot be shown at all.
VideoInfo probeFirstFrame(const std::filesystem::path& media);

/// What is left of a video when all of it is decoded.
struct ShownFrames {
    std::int64_t count = 0;
    double seconds = 0;           ///< from the first frame until the last one ends; 0 for media without times
    std::optional<Error> damage;  ///< what the next frame fails with
};

/// Decodes `media` unless its header says enough or it is long (Limit::CountedPixels): the frames of a cut
/// stream whose references are gone, and those that only other frames refer to, are not shown. Throws as
/// probeVideo() does.
ShownFrames countShownFrames(const std::filesystem::path& media);

/// "HLG" or "PQ" where that is the transfer curve, else empty. Such frames are read as BT.709 (ToneMapper).
std::string_view highDynamicRange(const VideoInfo& info);

/// Returns whether the file says by no tag which matrix its colours were stored with, so that its height
/// decides: "BT.709" or "BT.601"; empty when it says so, or holds no YUV.
std::string_view assumedMatrix(const VideoInfo& info);

/// Returns every frame, u8 [time, height, width, 3], converted with the matrix and range of the file's tags
/// (untagged: BT.709 from 720 lines up, BT.601 below, limited range), laid on white where they are not opaque
/// (AlphaUse), turned as the file says. A file that ends early is an error, not a shorter video.
Tensor readVideo(const std::filesystem::path& media);

/// Returns the project stored in the media's metadata, else in projectBeside(media).
std::string readProjectFromMedia(const std::filesystem::path& media);

}  // namespace meshreel
