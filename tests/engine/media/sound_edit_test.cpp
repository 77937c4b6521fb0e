// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <span>

#include "engine/base/error.h"
#include "engine/media/libav.h"
#include "engine/media/sound.h"
#include "engine/media/sound_samples.h"
#include "engine/media/video_joining.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/tensor.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr int toneRate = 48'000;

/// A tone of 330 Hz.
double toneAt(double seconds) {
    return 0.5 * std::sin(2 * std::numbers::pi * 330 * seconds);
}

class SoundEdits : public ::testing::Test {
  protected:
    /// On two channels.
    fs::path tone(double seconds, int rate = toneRate) {
        fs::path file = m_folder.path() / "tone.wav";
        testing::writeWav(file, rate, 2, static_cast<int>(seconds * rate),
                          [rate](int sample, int) { return toneAt(static_cast<double>(sample) / rate); });
        return file;
    }

    /// How far what is heard from `from` to `to` seconds is from the tone that begins at `begin`.
    static double worstError(const fs::path& file, double from, double to, double begin) {
        const SoundSamples heard = readSound(file, toneRate);
        double worst = heard.seconds() < to ? 1 : 0;
        for (auto sample = static_cast<std::size_t>(from * toneRate);
             sample < std::min(heard.values.size(), static_cast<std::size_t>(to * toneRate)); ++sample) {
            const double seconds = static_cast<double>(sample) / toneRate - begin;
            worst = std::max(worst, std::abs(static_cast<double>(heard.values[sample]) - toneAt(seconds)));
        }
        return worst;
    }

    double edited(const SoundEdit& edit, double seconds) {
        const fs::path file = m_folder.path() / "edited.mp4";
        writeEditedSound(edit, seconds, VideoFormat::Mp4, file);
        return soundSeconds(file);
    }

    static constexpr double packet = 0.05;
    testing::TemporaryFolder m_folder;
};

TEST_F(SoundEdits, PartsEndWithTheSoundOrTheVideo) {
    const fs::path file = tone(2);
    EXPECT_NEAR(edited({.file = file, .begin = 0.5}, 10), 1.5, packet);
    EXPECT_NEAR(edited({.file = file, .begin = 0.5, .end = 1.25}, 10), 0.75, packet);
    EXPECT_NEAR(edited({.file = file, .fadeOut = 0.5}, 1), 1, packet);
}

TEST_F(SoundEdits, LoopsLastAsLongAsTheVideo) {
    EXPECT_NEAR(edited({.file = tone(0.4), .loops = true}, 3), 3, packet);
}

TEST_F(SoundEdits, AnyRateIsHeardInStepInEveryFormat) {
    for (const VideoFormat format : {VideoFormat::Mp4, VideoFormat::WebM})
        for (const int rate : {48'000, 44'100, 37'800}) {
            const fs::path file = withVideoExtension(m_folder.path() / "edited", format);
            writeEditedSound({.file = tone(2, rate), .begin = 0.5}, 1, format, file);
            EXPECT_LT(worstError(file, 0.25, 0.75, -0.5), 0.1)
                << rate << " samples a second in " << file.extension();
        }
}

AVStream* streamLike(AVFormatContext& output, const AVCodecParameters& codec) {
    AVStream* stream = avformat_new_stream(&output, nullptr);
    EXPECT_GE(avcodec_parameters_copy(stream->codecpar, &codec), 0);
    stream->codecpar->codec_tag = 0;
    return stream;
}

void copyPacket(AVFormatContext& output, AVPacket& packet, AVRational timeBase, const AVStream& stream) {
    av_packet_rescale_ts(&packet, timeBase, stream.time_base);
    packet.stream_index = stream.index;
    packet.pos = -1;
    ASSERT_GE(av_interleaved_write_frame(&output, &packet), 0);
}

/// Copies the pictures of a video beside a sound that begins late.
void writeLateSound(const fs::path& file, const fs::path& video, const fs::path& sound, double seconds) {
    AVFormatContext* from = nullptr;
    AVFormatContext* to = nullptr;
    SoundTrack track = SoundTrack::open(sound).value();
    ASSERT_GE(avformat_open_input(&from, fileUrl(video).c_str(), nullptr, nullptr), 0);
    ASSERT_GE(avformat_alloc_output_context2(&to, nullptr, "matroska", fileUrl(file).c_str()), 0);
    const AVStream& pictures = *streamLike(*to, *from->streams[0]->codecpar);
    const AVStream& late = *streamLike(*to, track.codec());
    ASSERT_GE(avio_open(&to->pb, fileUrl(file).c_str(), AVIO_FLAG_WRITE), 0);
    ASSERT_GE(avformat_write_header(to, nullptr), 0);
    const PacketPtr packet = requireAllocated(PacketPtr(av_packet_alloc()));
    while (av_read_frame(from, packet.get()) >= 0)
        copyPacket(*to, *packet, from->streams[0]->time_base, pictures);
    while (AVPacket* heard = track.next()) {
        heard->pts += std::llround(seconds / av_q2d(track.timeBase()));
        heard->dts = heard->pts;
        copyPacket(*to, *heard, track.timeBase(), late);
    }
    EXPECT_GE(av_write_trailer(to), 0);
    avio_closep(&to->pb);
    avformat_free_context(to);
    avformat_close_input(&from);
}

TEST_F(SoundEdits, SoundIsHeardWhenItsVideoHadIt) {
    VideoOptions options;
    options.fps = 8;
    const fs::path video = m_folder.path() / "video.mp4";
    static_cast<void>(writeVideo(video, Tensor::zeros({16, 32, 32, 3}, DType::U8), options));
    const fs::path sound = m_folder.path() / "sound.mp4";
    writeEditedSound({.file = tone(1)}, 1, VideoFormat::Mp4, sound);
    const fs::path late = m_folder.path() / "late.mkv";
    writeLateSound(late, video, sound, 0.5);
    const fs::path again = m_folder.path() / "again.webm";
    writeEditedSound({.file = late}, 2, VideoFormat::WebM, again);
    EXPECT_LT(worstError(again, 0.75, 1.25, 0.5), 0.1);
}

TEST_F(SoundEdits, PartsThatAreNotThereAreRefused) {
    const fs::path file = tone(1);
    EXPECT_THROW(edited({.file = file, .begin = 2}, 3), Error);
    EXPECT_THROW(edited({.file = file, .begin = 2, .loops = true}, 3), Error);
    EXPECT_THROW(edited({.file = file, .begin = 0.5, .end = 0.25}, 3), Error);
    EXPECT_THROW(
        writeEditedSound({.file = file, .begin = 0.5}, 3, VideoFormat::Gif, m_folder.path() / "x.gif"),
        Error);
}

/// The encoded pictures stay as they are.
TEST_F(SoundEdits, VideosAreJoinedWithASoundInStep) {
    for (const VideoFormat format : {VideoFormat::Mp4, VideoFormat::WebM}) {
        const fs::path sound = withVideoExtension(m_folder.path() / "sound", format);
        writeEditedSound({.file = tone(2), .fadeIn = 0.1}, 1, format, sound);
        VideoOptions options;
        options.fps = 8;
        options.format = format;
        const WrittenVideo silent =
            writeVideo(m_folder.path() / "silent", Tensor::zeros({8, 32, 32, 3}, DType::U8), options);
        options.sound = sound;
        const VideoPart part{.video = silent.file};
        const JoinedVideo joined = joinVideos(std::span(&part, 1), m_folder.path() / "joined", options);
        EXPECT_TRUE(joined.whyEncoded.empty());
        EXPECT_TRUE(joined.video.note.empty());
        EXPECT_NEAR(soundSeconds(joined.video.file), 1, packet);
        EXPECT_LT(worstError(joined.video.file, 0.2, 0.8, 0), 0.1) << joined.video.file.extension();
        // Once more, from a video with that sound.
        options.sound = joined.video.file;
        const JoinedVideo again = joinVideos(std::span(&part, 1), m_folder.path() / "again", options);
        EXPECT_LT(worstError(again.video.file, 0.2, 0.8, 0), 0.1) << again.video.file.extension();
    }
}

}  // namespace
}  // namespace meshreel
