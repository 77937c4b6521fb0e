// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/frame_encoders.h"
#include "engine/media/frame_folder.h"
#include "engine/media/image.h"
#include "engine/media/sound.h"
#include "engine/media/sound_encoder.h"
#include "engine/media/sound_samples.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

// The encoders' memory is measured: their peak over clips of 128×128 to 1280×720, longer than they look
// ahead, with the options of frame_encoders.cpp.
constexpr std::array formatTable{
    VideoFormatInfo{VideoFormat::Mp4, "mp4", "MP4 (H.264)", ".mp4", "mp4", "libx264", true,
                    "H.264 in MP4, plays everywhere; carries the project in its metadata.", 4, 60},
    VideoFormatInfo{VideoFormat::WebM, "webm", "WebM (VP9)", ".webm", "webm", "libvpx-vp9", true,
                    "VP9 in WebM, royalty-free, for browsers; carries the project in its metadata.", 22, 155},
    VideoFormatInfo{
        VideoFormat::Gif, "gif", "Animated GIF", ".gif", "gif", "gif", false,
        "Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second.", 1,
        12},
    VideoFormatInfo{VideoFormat::WebP, "webp", "Animated WebP", ".webp", "webp", "libwebp_anim", false,
                    "Looping animated WebP, smaller and truer in colour than GIF; equal neighbours become "
                    "one longer frame.",
                    2, 45},
    VideoFormatInfo{VideoFormat::Png, "png", "PNG frames", "", "image2", "png", false,
                    "A folder of lossless frames, frame_00001.png and on, for editing elsewhere.", 1, 15},
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

/// [height, width, 3]
Shape requireFrames(const Tensor& frames) {
    if (frames.shape().rank() != 4 || frames.extent(3) != rgbChannels || frames.dtype() != DType::U8)
        throw Error(ErrorKind::Internal,
                    fmt::format("a video needs u8 frames [time, height, width, 3], not {} {}",
                                nameOf(frames.dtype()), frames.shape().text()));
    return {frames.extent(1), frames.extent(2), frames.extent(3)};
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

void checkEvenSize(const Shape& frame, VideoFormat format) {
    if (format != VideoFormat::Mp4 && format != VideoFormat::WebM)
        return;
    if (frame[0] % 2 != 0 || frame[1] % 2 != 0)
        throw Error(ErrorKind::Project,
                    sentence("{} needs an even width and height, not {}x{}",
                             tableText(videoFormatInfo(format).title), frame[1], frame[0]),
                    "width, height", sentence("Choose sizes divisible by 16, or GIF, WebP or PNG"));
}

void writeProjectBeside(const fs::path& file, const VideoOptions& options) {
    const auto project = options.metadata.find(std::string(projectMetadataKey));
    if (project != options.metadata.end())
        writeFileAtomically(projectBeside(file), project->second);
}

bool isConvertible(const fs::path& sound, VideoFormat format) {
    return EncodedSound::isOffered(format) && soundSeconds(sound) > 0;
}

}  // namespace

bool holdsSound(VideoFormat format) {
    return format == VideoFormat::Mp4 || format == VideoFormat::WebM;
}

Sentence soundRefusal(const fs::path& sound, VideoFormat format) {
    if (sound.empty())
        return {};
    const VideoFormatInfo& info = videoFormatInfo(format);
    std::optional<SoundTrack> track = SoundTrack::open(sound);
    if (!track)
        return sentence("{} has no sound", sound.filename().string());
    const std::string codec = track->codecName();
    if (holdsSound(format) && takesSound(std::string(info.container), *std::move(track)))
        return {};
    return sentence("{} does not hold this sound ({})", tableText(info.title), codec);
}

Sentence soundWarning(const fs::path& sound, VideoFormat format) {
    // What QuickTime, iPhones and Final Cut play in MP4; Opus, FLAC, Vorbis and MP3 they leave silent.
    static constexpr std::array playedByAll{AV_CODEC_ID_AAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_AC3,
                                            AV_CODEC_ID_EAC3};
    if (sound.empty() || format != VideoFormat::Mp4)
        return {};
    const std::optional<SoundTrack> track = SoundTrack::open(sound);
    if (!track || std::ranges::find(playedByAll, track->codec().codec_id) != playedByAll.end())
        return {};
    return sentence(
        "The sound stays as it is ({}), and players of Apple and some editors play none of this "
        "kind in MP4: choose WebM, or a file whose sound is AAC.",
        track->codecName());
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

VideoFile::VideoFile(const fs::path& file, const VideoOptions& options) : m_options(options) {
    checkOptions(options);
    m_written.format = chooseFormat(options, m_written.note);
    m_written.file = withVideoExtension(file, m_written.format);
    checkPlace(m_written.file, m_written.format);
    const Sentence reason = soundRefusal(options.sound, m_written.format);
    m_options.convertSound =
        options.convertSound && !reason.empty() && isConvertible(options.sound, m_written.format);
    if (reason.empty()) {
        if (const Sentence warning = soundWarning(options.sound, m_written.format); !warning.empty())
            addNote(warning);
    } else if (!m_options.convertSound) {
        m_options.sound.clear();
        const Sentence note = sentence("The video has no sound: {}.", reason);
        addNote(note);
    }
    removeAbandonedBeside(m_written.file);
    const bool isFolder = m_written.format == VideoFormat::Png;
    m_part = std::make_unique<TemporaryBeside>(
        m_written.file, isFolder ? TemporaryBeside::Kind::Folder : TemporaryBeside::Kind::File);
}

void VideoFile::addNote(const Sentence& note) {
    m_written.note = m_written.note.empty() ? note : sentence("{} {}", m_written.note, note);
}

VideoFile::~VideoFile() = default;
VideoFile::VideoFile(VideoFile&&) noexcept = default;
VideoFile& VideoFile::operator=(VideoFile&&) noexcept = default;

/// Nobody knows the hidden name that the encoder writes to.
template <typename Work>
void VideoFile::namingTheVideo(const Work& work) const {
    try {
        work();
    } catch (const Error& failure) {
        if (failure.where() == m_part->path().string())
            throw Error(failure.kind(), failure.message(), m_written.file.string(), failure.hint());
        throw;
    }
}

void VideoFile::add(const Tensor& frames) {
    const Shape frame = requireFrames(frames);
    if (frames.extent(0) == 0)
        return;
    namingTheVideo([&] {
        if (!m_encoder) {
            checkEvenSize(frame, m_written.format);
            m_frame = frame;
            m_encoder = openEncoder(m_part->path(), m_written.format, frames.shape(), m_options);
        }
        if (frame != m_frame)
            throw Error(ErrorKind::Internal, "the frames of a video differ in size");
        m_encoder->add(frames);
    });
}

WrittenVideo VideoFile::finish() {
    if (!m_encoder)
        throw Error(ErrorKind::Project, sentence("there is no frame to write"), {},
                    sentence("Ask for at least one frame"));
    namingTheVideo([&] {
        m_encoder->finish();
        m_encoder.reset();
        m_part->putIntoPlace();
    });
    m_part.reset();
    if (!videoFormatInfo(m_written.format).carriesProject)
        writeProjectBeside(m_written.file, m_options);
    return m_written;
}

WrittenVideo writeVideo(const fs::path& file, const Tensor& frames, const VideoOptions& options) {
    VideoFile video(file, options);
    video.add(frames);
    return video.finish();
}

}  // namespace meshreel
