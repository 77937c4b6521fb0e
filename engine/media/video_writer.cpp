// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/frame_encoders.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/sound.h"

namespace fs = std::filesystem;

namespace meshreel {
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

namespace {

bool encoderAvailable(const VideoOptions& options, VideoFormat format) {
    const std::string_view name = videoFormatInfo(format).encoder;
    if (options.encoderAllowed && !options.encoderAllowed(name))
        return false;
    return avcodec_find_encoder_by_name(std::string(name).c_str()) != nullptr;
}

VideoFormat chooseFormat(const VideoOptions& options, Sentence& note) {
    if (encoderAvailable(options, options.format))
        return options.format;
    if (options.format == VideoFormat::Mp4 && encoderAvailable(options, VideoFormat::WebM)) {
        note = sentence(
            "This system's libavcodec has no libx264 encoder, so the video was written as WebM (VP9) instead "
            "of MP4 (H.264).");
        return VideoFormat::WebM;
    }
    const VideoFormatInfo& info = videoFormatInfo(options.format);
    throw Error(ErrorKind::Project,
                Problem{.id = "video-format-not-offered",
                        .key = "video_format",
                        .message = sentence("this system's libavcodec cannot write {}: it has no {} encoder",
                                            tableText(info.title), info.encoder),
                        .fixes = setKey(sentence("Choose another video format, such as png or gif"),
                                        "video_format", {"png", "gif"})});
}

void checkFrames(const Tensor& frames) {
    if (frames.shape().rank() != 4 || frames.extent(3) != rgbChannels || frames.dtype() != DType::U8)
        throw Error(ErrorKind::Internal,
                    fmt::format("a video needs u8 frames [time, height, width, 3], not {} {}",
                                nameOf(frames.dtype()), frames.shape().text()));
    if (frames.elements() == 0)
        throw Error(ErrorKind::Project, sentence("there is no frame to write"), {},
                    sentence("Ask for at least one frame"));
}

void checkOptions(const VideoOptions& options) {
    // Browsers slow delays under two hundredths of a second down to a crawl.
    constexpr double maxGifFps = 50.0;
    static_cast<void>(exactRate(options.fps));
    if (options.quality < minVideoQuality || options.quality > maxVideoQuality)
        throw Error(ErrorKind::Project, sentence("the video quality {} is out of range", options.quality),
                    "video_quality", sentence("Choose {} to {}", minVideoQuality, maxVideoQuality));
    if (options.format == VideoFormat::Gif && options.fps > maxGifFps)
        throw Error(
            ErrorKind::Project,
            Problem{.id = "video-rate-beyond-format",
                    .key = "fps",
                    .involved = {"video_format"},
                    .message = sentence("GIF cannot show {} frames a second", options.fps),
                    .fixes = {{.words = sentence("Choose at most {} or another video format", maxGifFps),
                               .changes = {{"fps", fmt::format("{}", maxGifFps)}}},
                              {.words = {}, .changes = {{"video_format", "mp4"}}}}});
}

void checkEvenSize(const Tensor& frames, VideoFormat format) {
    const std::int64_t height = frames.extent(1);
    const std::int64_t width = frames.extent(2);
    if (width % 2 != 0 || height % 2 != 0)
        throw Error(ErrorKind::Project,
                    sentence("{} needs an even width and height, not {}x{}",
                             tableText(videoFormatInfo(format).title), width, height),
                    "width, height", sentence("Choose sizes divisible by 16, or GIF, WebP or PNG"));
}

void encode(const fs::path& file, const Tensor& frames, VideoFormat format, const VideoOptions& options) {
    const auto atomically = [&file](const auto& write) {
        writeFileAtomically(file, std::function<void(const fs::path&)>(write));
    };
    switch (format) {
        case VideoFormat::Mp4:
        case VideoFormat::WebM:
            checkEvenSize(frames, format);
            return atomically(
                [&](const fs::path& part) { encodeTaggedVideo(part, frames, format, options); });
        case VideoFormat::Gif:
            return atomically([&](const fs::path& part) { encodeGif(part, frames, options); });
        case VideoFormat::WebP:
            return atomically([&](const fs::path& part) { encodeWebP(part, frames, options); });
        case VideoFormat::Png:
            return writeFolderAtomically(file, [&](const fs::path& part) { encodePngFolder(part, frames); });
    }
}

void writeProjectBeside(const fs::path& file, const VideoOptions& options) {
    const auto project = options.metadata.find(std::string(projectMetadataKey));
    if (project != options.metadata.end())
        writeFileAtomically(projectBeside(file), project->second);
}

}  // namespace

Sentence soundRefusal(const fs::path& sound, VideoFormat format) {
    if (sound.empty())
        return {};
    const VideoFormatInfo& info = videoFormatInfo(format);
    const std::optional<SoundTrack> track = SoundTrack::open(sound);
    if (!track)
        return sentence("{} has no sound.", sound.filename().string());
    const bool holdsSound = format == VideoFormat::Mp4 || format == VideoFormat::WebM;
    const AVOutputFormat* container =
        holdsSound ? av_guess_format(std::string(info.container).c_str(), nullptr, nullptr) : nullptr;
    if (container != nullptr &&
        avformat_query_codec(container, track->codec().codec_id, FF_COMPLIANCE_NORMAL) == 1)
        return {};
    return sentence("The sound ({}) is left out, because {} does not hold it.", track->codecName(),
                    tableText(info.title));
}

void requireWritable(const VideoOptions& options) {
    checkOptions(options);
    Sentence note;
    static_cast<void>(chooseFormat(options, note));
}

void checkPlace(const fs::path& file, VideoFormat format) {
    if (format != VideoFormat::Png || !fs::is_directory(file))
        return;
    for (const fs::directory_entry& entry : fs::directory_iterator(file))
        if (entry.is_directory() || !isFrameFile(entry.path()))
            throw Error(ErrorKind::Input, sentence("other files than frames lie in this folder"),
                        file.string(), sentence("Choose an empty folder or a new name"));
}

WrittenVideo writeVideo(const fs::path& file, const Tensor& frames, const VideoOptions& options) {
    checkFrames(frames);
    checkOptions(options);
    WrittenVideo written;
    written.format = chooseFormat(options, written.note);
    written.file = withVideoExtension(file, written.format);
    checkPlace(written.file, written.format);
    if (const Sentence reason = soundRefusal(options.sound, written.format); reason.empty()) {
        encode(written.file, frames, written.format, options);
    } else {
        VideoOptions silent = options;
        silent.sound.clear();
        encode(written.file, frames, written.format, silent);
        written.note = written.note.empty() ? reason : sentence("{} {}", written.note, reason);
    }
    if (!videoFormatInfo(written.format).carriesProject)
        writeProjectBeside(written.file, options);
    return written;
}

}  // namespace meshreel
