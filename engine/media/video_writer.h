// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

enum class VideoFormat { Mp4, WebM, Gif, WebP, Png };

/// What the project keys, the command line and the Studio say about a format.
struct VideoFormatInfo {
    VideoFormat format;
    std::string_view name;       ///< spelled as in the project, e.g. "mp4"
    std::string_view title;      ///< shown to people, e.g. "MP4 (H.264)"
    std::string_view extension;  ///< with its dot; empty for a folder of frames
    std::string_view container;  ///< libavformat's name
    std::string_view encoder;    ///< libavcodec's name
    bool carriesProject;         ///< the project is inside; otherwise in NAME.project.yaml beside it
    std::string_view help;       ///< one sentence
    double encoderMegabytes;     ///< what the encoder keeps whatever the size of a frame, in 10^6 bytes
    double encoderPixelBytes;    ///< and for each pixel of a frame, including its look-ahead
};

/// Returns every format, in the order to offer them; the first is the default.
std::span<const VideoFormatInfo> videoFormats();

const VideoFormatInfo& videoFormatInfo(VideoFormat format);

/// Returns the row of that name; nullptr when there is none.
const VideoFormatInfo* findVideoFormat(std::string_view name);

/// `file` under the format's extension: the extension of another format is replaced, any other name is
/// extended. "clip.mp4" is "clip.webm" as WebM and "clip" as a folder of frames.
std::filesystem::path withVideoExtension(const std::filesystem::path& file, VideoFormat format);

/// Returns the place of the project for media that cannot carry it: "clip.gif" (or the folder "clip") ->
/// "clip.project.yaml".
std::filesystem::path projectBeside(const std::filesystem::path& media);

/// The metadata key of MP4 and WebM that holds the resolved project as YAML.
inline constexpr std::string_view projectMetadataKey = "meshreel_project";

inline constexpr int minVideoQuality = 0;
inline constexpr int maxVideoQuality = 100;
inline constexpr int defaultVideoQuality = 80;

struct VideoOptions {
    VideoFormat format = VideoFormat::Mp4;
    double fps = 16.0;                  ///< written exactly; 23.976 and its kin as n*1000/1001
    int quality = defaultVideoQuality;  ///< 0 smallest … 100 best; maps to each encoder's own scale
    /// "title", "comment", projectMetadataKey. GIF, WebP and PNG take only the project, into
    /// projectBeside(file).
    std::map<std::string, std::string> metadata;
    /// The file whose sound is copied under MP4 and WebM, cut off at the video's end; empty: none.
    std::filesystem::path sound{};
    /// A sound that the format does not hold is compressed anew, of one channel, where this system can.
    bool convertSound = false;
    /// Encoders that may be used (libavcodec names); empty means every one that libavcodec has.
    std::function<bool(std::string_view)> encoderAllowed;
};

struct WrittenVideo {
    std::filesystem::path file;
    VideoFormat format = VideoFormat::Mp4;
    Sentence note;  ///< when something was done otherwise than asked (fallback, rounding, no sound)
};

/// What writeVideo() would refuse whatever the frames show: a format that this system's libavcodec cannot
/// write, a rate or quality beyond the format's. Throws Error{Project} at the key to blame.
void requireWritable(const VideoOptions& options);

/// Returns whether videos of the format may have sound.
bool holdsSound(VideoFormat format);

/// Returns why the sound of a file cannot be put under a video of this format; empty when it can, and for no
/// file. Throws Error{Input} for a file that cannot be read.
Sentence soundRefusal(const std::filesystem::path& sound, VideoFormat format);

/// Returns what is to be known of a sound that the format holds: that some players leave it silent. Empty
/// otherwise. Throws as soundRefusal().
Sentence soundWarning(const std::filesystem::path& sound, VideoFormat format);

/// PNG frames take the place of a whole folder. Throws Error{Input} when other files would be lost with it.
void checkPlace(const std::filesystem::path& file, VideoFormat format);

class FrameEncoder;
class TemporaryBeside;

/// A video that is written as its frames come, to withVideoExtension(file, format); the file (for PNG: the
/// folder) appears complete at finish(), or not at all. MP4 and WebM are yuv420p, BT.709, limited range,
/// tagged so; MP4 has its index in front. Without an H.264 encoder MP4 falls back to WebM and `note` says so.
/// Equal frames give equal bytes, whatever the parts that they come in. GIF has one palette for all of its
/// frames: it keeps them, sharing their memory, and is written at finish().
class VideoFile {
  public:
    /// Throws as requireWritable() does, and Error{Input} for an unwritable folder or one that checkPlace
    /// refuses.
    VideoFile(const std::filesystem::path& file, const VideoOptions& options);

    /// Leaves nothing of a video that was not finished.
    ~VideoFile();
    VideoFile(VideoFile&&) noexcept;
    VideoFile& operator=(VideoFile&&) noexcept;

    /// Adds the next frames u8 [time, height, width, 3], all of one size. Throws Error{Project} for a size
    /// that the format cannot hold, Error{Resources} for a full disk.
    void add(const Tensor& frames);

    /// Throws Error{Project} when there was no frame, and as add().
    WrittenVideo finish();

  private:
    void addNote(const Sentence& note);
    template <typename Work>
    void namingTheVideo(const Work& work) const;

    WrittenVideo m_written;
    VideoOptions m_options;
    std::unique_ptr<TemporaryBeside> m_part;  // the encoder writes here
    std::unique_ptr<FrameEncoder> m_encoder;  // created with the first frame
    Shape m_frame;                            // [height, width, 3]
};

/// Writes `frames` u8 [time, height, width, 3] as a VideoFile, and throws as it does.
WrittenVideo writeVideo(const std::filesystem::path& file, const Tensor& frames, const VideoOptions& options);

}  // namespace meshreel
