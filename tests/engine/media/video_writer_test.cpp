// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <malloc.h>

#include <cerrno>
#include <cstring>

#include "clips.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/sound.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

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

namespace fs = std::filesystem;
using ::testing::HasSubstr;

VideoOptions optionsFor(VideoFormat format) {
    VideoOptions options;
    options.format = format;
    return options;
}

std::vector<fs::path> contentsOf(const fs::path& folder) {
    std::vector<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename());
    return names;
}

struct FormatCase {
    VideoFormat format;
    std::string_view codec;
    int chartTolerance;  // levels of 255
};

void PrintTo(const FormatCase& each, std::ostream* out) {
    *out << videoFormatInfo(each.format).name;
}

class EveryFormat : public ::testing::TestWithParam<FormatCase> {};

// WebP's lossy pictures have BT.601 chroma of 8 bits limited range; GIF's patches are exact palette entries.
INSTANTIATE_TEST_SUITE_P(
    VideoWriter, EveryFormat,
    ::testing::Values(FormatCase{VideoFormat::Mp4, "h264", 3}, FormatCase{VideoFormat::WebM, "vp9", 3},
                      FormatCase{VideoFormat::Gif, "gif", 1}, FormatCase{VideoFormat::WebP, "webp", 8},
                      FormatCase{VideoFormat::Png, "png", 0}),
    [](const auto& each) { return std::string(videoFormatInfo(each.param.format).name); });

TEST_P(EveryFormat, GivesTheColourChartBack) {
    const testing::TemporaryFolder folder;
    const WrittenVideo written =
        writeVideo(folder / "chart", testing::chartClip(3), optionsFor(GetParam().format));
    const Tensor back = readVideo(written.file);
    ASSERT_EQ(back.slice(0, 1).shape(), (Shape{1, testing::chartSize, testing::chartSize, 3}));
    EXPECT_LE(testing::chartError(back), GetParam().chartTolerance);
}

TEST_P(EveryFormat, KeepsCountSizeRateAndMotion) {
    const testing::TemporaryFolder folder;
    constexpr std::int64_t frames = 17;
    const WrittenVideo written =
        writeVideo(folder / "walk.mp4", testing::walkingSquare(frames), optionsFor(GetParam().format));
    EXPECT_EQ(written.file, withVideoExtension(folder / "walk.mp4", GetParam().format));
    EXPECT_EQ(written.note, "");

    const VideoInfo info = probeVideo(written.file);
    EXPECT_EQ(info.frames, frames);
    EXPECT_EQ(info.width, 96);
    EXPECT_EQ(info.height, 64);
    EXPECT_EQ(info.codec, GetParam().codec);
    const double storedFps = GetParam().format == VideoFormat::Png ? 0.0 : 16.0;
    EXPECT_NEAR(info.fps, storedFps, 0.2);  // GIF and WebP round each delay

    const Tensor back = readVideo(written.file);
    ASSERT_EQ(back.extent(0), frames);
    for (std::int64_t t = 0; t < frames; ++t) {
        const std::int64_t row = (t * 64 + 32) * 96;
        const auto green = [&](std::int64_t x) {
            return back.data<std::uint8_t>()[static_cast<std::size_t>((row + x) * 3 + 1)];
        };
        EXPECT_GT(green(4 * t + 8), 240) << "frame " << t;
        EXPECT_LT(green((4 * t + 48) % 96), 80) << "frame " << t;
    }
}

TEST(VideoWriter, TheSoundOfAnInputIsCopiedUntilTheVideoEnds) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    options.sound = testing::testData() / "media" / "sound.mp4";  // 2 s
    const WrittenVideo written = writeVideo(folder / "clip", testing::walkingSquare(17), options);
    EXPECT_EQ(written.note, "");
    EXPECT_EQ(probeVideo(written.file).frames, 17);
    auto track = SoundTrack::open(written.file);
    ASSERT_TRUE(track.has_value());
    EXPECT_EQ(track->codecName(), "aac");
    double last = 0;
    int packets = 0;
    for (const AVPacket* packet = track->next(); packet != nullptr; packet = track->next(), ++packets)
        last = static_cast<double>(packet->pts) * av_q2d(track->timeBase());
    EXPECT_NEAR(last, 17.0 / 16, 0.1);
    EXPECT_GT(packets, 10);
    EXPECT_EQ(readFile(writeVideo(folder / "again", testing::walkingSquare(17), options).file),
              readFile(written.file));
}

TEST(VideoWriter, SoundThatTheFormatDoesNotHoldIsLeftOutAndTold) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    options.sound = testing::testData() / "media" / "sound.mp4";
    for (const VideoFormat format : {VideoFormat::WebM, VideoFormat::Gif, VideoFormat::Png}) {
        options.format = format;
        const WrittenVideo written = writeVideo(folder / "clip", testing::walkingSquare(5), options);
        EXPECT_THAT(written.note, testing::Names("aac")) << written.file;
    }
    EXPECT_THAT(
        soundRefusal(writeVideo(folder / "silent", testing::walkingSquare(5), {}).file, VideoFormat::Mp4),
        testing::Names("silent.mp4"));
}

/// How a test makes sound.
struct MadeSound {
    const char* file;  ///< its ending names the format
    const char* encoder;
    AVSampleFormat samples;
};

/// A second of silence; false where this libavcodec has no such encoder or the encoder no such rate.
bool makeSound(const fs::path& file, const MadeSound& sound, int rate, int channels) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(sound.encoder);
    if (encoder == nullptr)
        return false;
    CodecPtr codec(avcodec_alloc_context3(encoder));
    codec->sample_rate = rate;
    codec->sample_fmt = sound.samples;
    codec->time_base = {1, rate};
    codec->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
    codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    av_channel_layout_default(&codec->ch_layout, channels);
    if (avcodec_open2(codec.get(), encoder, nullptr) < 0)
        return false;
    AVFormatContext* output = nullptr;
    avformat_alloc_output_context2(&output, nullptr, nullptr, file.c_str());
    AVStream* stream = avformat_new_stream(output, nullptr);
    avcodec_parameters_from_context(stream->codecpar, codec.get());
    stream->time_base = codec->time_base;
    avio_open(&output->pb, file.c_str(), AVIO_FLAG_WRITE);
    bool made = avformat_write_header(output, nullptr) >= 0;
    const PacketPtr packet(av_packet_alloc());
    const int samples = codec->frame_size > 0 ? codec->frame_size : 1024;
    const auto drain = [&] {
        while (avcodec_receive_packet(codec.get(), packet.get()) >= 0) {
            av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
            made = av_interleaved_write_frame(output, packet.get()) >= 0 && made;
        }
    };
    for (int at = 0; made && at < rate; at += samples) {
        const FramePtr frame(av_frame_alloc());
        frame->format = codec->sample_fmt;
        frame->nb_samples = samples;
        frame->sample_rate = rate;
        frame->pts = at;
        av_channel_layout_copy(&frame->ch_layout, &codec->ch_layout);
        av_frame_get_buffer(frame.get(), 0);
        av_samples_set_silence(frame->extended_data, 0, samples, channels, codec->sample_fmt);
        made = avcodec_send_frame(codec.get(), frame.get()) >= 0;
        drain();
    }
    avcodec_send_frame(codec.get(), nullptr);
    drain();
    made = av_write_trailer(output) >= 0 && made;
    avio_closep(&output->pb);
    avformat_free_context(output);
    return made;
}

TEST(VideoWriter, SoundThatSomePlayersLeaveSilentIsTold) {
    const testing::TemporaryFolder folder;
    if (!makeSound(folder / "a.ogg", {"a.ogg", "libopus", AV_SAMPLE_FMT_S16}, 48000, 1))
        GTEST_SKIP() << "this libavcodec writes no Opus";
    VideoOptions options;
    options.sound = folder / "a.ogg";
    const WrittenVideo written = writeVideo(folder / "clip", testing::walkingSquare(5), options);
    EXPECT_THAT(written.note, testing::Names("opus"));
    EXPECT_TRUE(SoundTrack::open(written.file).has_value());
    options.format = VideoFormat::WebM;
    EXPECT_EQ(writeVideo(folder / "clip", testing::walkingSquare(5), options).note, "");
    options.format = VideoFormat::Mp4;
    options.sound = testing::testData() / "media" / "sound.mp4";
    EXPECT_EQ(soundWarning(options.sound, VideoFormat::Mp4), "");
}

TEST(VideoWriter, SoundThatIsNotRefusedIsWritten) {
    struct Layout {
        int rate;
        int channels;
    };
    const testing::TemporaryFolder folder;
    int written = 0;
    int refused = 0;
    for (const MadeSound& sound :
         {MadeSound{"a.flac", "flac", AV_SAMPLE_FMT_S16}, MadeSound{"a.wav", "pcm_s16le", AV_SAMPLE_FMT_S16},
          MadeSound{"f.wav", "pcm_f32le", AV_SAMPLE_FMT_FLT}, MadeSound{"a.m4a", "aac", AV_SAMPLE_FMT_FLTP},
          MadeSound{"a.aac", "aac", AV_SAMPLE_FMT_FLTP}, MadeSound{"a.ogg", "libopus", AV_SAMPLE_FMT_S16},
          MadeSound{"v.ogg", "vorbis", AV_SAMPLE_FMT_FLTP}, MadeSound{"f.ogg", "flac", AV_SAMPLE_FMT_S16},
          MadeSound{"l.m4a", "alac", AV_SAMPLE_FMT_S16P}, MadeSound{"c.mkv", "ac3", AV_SAMPLE_FMT_FLTP},
          MadeSound{"e.mkv", "eac3", AV_SAMPLE_FMT_FLTP}, MadeSound{"p.mkv", "pcm_s24le", AV_SAMPLE_FMT_S32},
          MadeSound{"t.mkv", "truehd", AV_SAMPLE_FMT_S16}, MadeSound{"d.mkv", "dca", AV_SAMPLE_FMT_S32},
          MadeSound{"m.mp3", "libmp3lame", AV_SAMPLE_FMT_FLTP}, MadeSound{"t.ts", "mp2", AV_SAMPLE_FMT_S16}})
        for (const auto& [rate, channels] :
             {Layout{8000, 1}, Layout{44100, 2}, Layout{48000, 6}, Layout{96000, 2}}) {
            const fs::path file = folder / sound.file;
            fs::remove(file);
            if (!makeSound(file, sound, rate, channels))
                continue;
            SCOPED_TRACE(fmt::format("{} {} {}", sound.file, rate, channels));
            for (const VideoFormat format : {VideoFormat::Mp4, VideoFormat::WebM}) {
                VideoOptions options;
                options.format = format;
                options.sound = file;
                const Sentence refusal = soundRefusal(file, format);
                const WrittenVideo video = writeVideo(folder / "clip", testing::walkingSquare(2), options);
                const Sentence told = refusal.empty() ? soundWarning(file, format) : refusal;
                EXPECT_EQ(video.note.empty(), told.empty());
                EXPECT_THAT(video.note.text(), HasSubstr(told.text()));
                EXPECT_EQ(SoundTrack::open(video.file).has_value(), refusal.empty());
                ++(refusal.empty() ? written : refused);
            }
        }
    EXPECT_GT(written, 10);
    EXPECT_GT(refused, 10);
    ASSERT_TRUE(makeSound(folder / "last.flac", {"", "flac", AV_SAMPLE_FMT_S16}, 48000, 2));
    EXPECT_THAT(soundRefusal(folder / "last.flac", VideoFormat::WebM).text(), HasSubstr("flac"));
}

TEST_P(EveryFormat, CarriesTheProject) {
    const testing::TemporaryFolder folder;
    VideoOptions options = optionsFor(GetParam().format);
    std::string project =
        "version: 1\nprompt: \"ein roter Ball – 红球 \\\"quoted\\\" = ;# \\\\ \"\n# comment\n";
    for (int line = 0; line < 2000; ++line)
        project += "key_" + std::to_string(line) + ": a value long enough to pass 64 KiB in all\n";
    options.metadata = {
        {std::string(projectMetadataKey), project}, {"title", "A red ball"}, {"comment", "Meshreel"}};
    const WrittenVideo written = writeVideo(folder / "carrier", testing::walkingSquare(2), options);
    EXPECT_EQ(readProjectFromMedia(written.file), project);
    EXPECT_EQ(fs::exists(folder / "carrier.project.yaml"), !videoFormatInfo(written.format).carriesProject);
    if (videoFormatInfo(written.format).carriesProject) {
        const VideoInfo info = probeVideo(written.file);
        EXPECT_EQ(info.metadata.at("title"), "A red ball");
        EXPECT_EQ(info.metadata.at("comment"), "Meshreel");
    }
}

TEST_P(EveryFormat, EqualInputGivesEqualBytesWhateverTheHeapHeld) {
    const testing::TemporaryFolder folder;
    const auto bytesOver = [&](const std::string& name, int heapFill) {
        ::mallopt(M_PERTURB, heapFill);
        const fs::path file =
            writeVideo(folder / name, testing::walkingSquare(17), optionsFor(GetParam().format)).file;
        ::mallopt(M_PERTURB, 0);
        return readFile(fs::is_directory(file) ? file / "frame_00005.png" : file);
    };
    EXPECT_EQ(bytesOver("first", 0x55), bytesOver("second", 0xAA));
}

TEST_P(EveryFormat, IsTheSameInPartsAndNothingUntilItIsFinished) {
    const testing::TemporaryFolder folder;
    const VideoOptions options = optionsFor(GetParam().format);
    const Tensor clip = testing::walkingSquare(9);
    const auto bytesOf = [](const fs::path& file) {
        return readFile(fs::is_directory(file) ? file / "frame_00009.png" : file);
    };
    const fs::path whole = writeVideo(folder / "whole", clip, options).file;
    VideoFile parts(folder / "parts", options);
    for (const auto& [begin, end] : {std::pair{0, 1}, {1, 5}, {5, 5}, {5, 9}})
        parts.add(clip.slice(begin, end));
    EXPECT_FALSE(fs::exists(withVideoExtension(folder / "parts", options.format)));
    EXPECT_EQ(bytesOf(parts.finish().file), bytesOf(whole));
    {
        VideoFile dropped(folder / "dropped", options);
        dropped.add(clip);
    }
    EXPECT_EQ(contentsOf(folder.path()).size(), 2U);
}

TEST_P(EveryFormat, ReplacesAnOlderOneWholeAndLeavesNothingElse) {
    const testing::TemporaryFolder folder;
    writeVideo(folder / "clip", testing::walkingSquare(5), optionsFor(GetParam().format));
    const fs::path file =
        writeVideo(folder / "clip", testing::walkingSquare(2), optionsFor(GetParam().format)).file;
    EXPECT_EQ(probeVideo(file).frames, 2);
    EXPECT_THAT(contentsOf(folder.path()), ::testing::ElementsAre(file.filename()));
}

TEST_P(EveryFormat, SaysThatAFolderIsMissing) {
    const testing::TemporaryFolder folder;
    try {
        writeVideo(folder / "nowhere" / "clip", testing::walkingSquare(2), optionsFor(GetParam().format));
        FAIL() << "a missing folder was written to";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_THAT(error.problem(), testing::Names(std::strerror(ENOENT)));
    }
}

TEST_P(EveryFormat, AFullDiskLeavesNothingBehind) {
    const testing::TemporaryFolder folder;
    ErrorKind kind = ErrorKind::Internal;
    try {
        const testing::FileSizeLimit fullDisk(100);
        writeVideo(folder / "clip", testing::walkingSquare(5), optionsFor(GetParam().format));
    } catch (const Error& error) {
        kind = error.kind();
    }
    EXPECT_EQ(kind, ErrorKind::Resources);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(VideoWriter, FramesTakeThePlaceOfNoOtherFiles) {
    const testing::TemporaryFolder folder;
    const fs::path frames =
        writeVideo(folder / "clip", testing::walkingSquare(2), optionsFor(VideoFormat::Png)).file;
    writeFileAtomically(frames / "holiday.jpg", "a picture");
    try {
        writeVideo(frames, testing::walkingSquare(3), optionsFor(VideoFormat::Png));
        FAIL() << "other files were replaced";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_EQ(error.where(), frames.string());
    }
    EXPECT_EQ(readFile(frames / "holiday.jpg"), "a picture");
    fs::remove(frames / "holiday.jpg");
    fs::create_directory(frames / "frame_album.png");
    EXPECT_THROW(writeVideo(frames, testing::walkingSquare(3), optionsFor(VideoFormat::Png)), Error);
    EXPECT_THAT(contentsOf(folder.path()), ::testing::ElementsAre("clip"));
}

TEST(VideoWriter, Mp4IsYuv420pTaggedBt709WithItsIndexInFront) {
    const testing::TemporaryFolder folder;
    const fs::path file = writeVideo(folder / "clip.mp4", testing::walkingSquare(17), {}).file;
    const VideoInfo info = probeVideo(file);
    EXPECT_EQ(info.pixelFormat, "yuv420p");
    EXPECT_EQ(info.colour.matrix, "bt709");
    EXPECT_EQ(info.colour.primaries, "bt709");
    EXPECT_EQ(info.colour.transfer, "bt709");
    EXPECT_EQ(info.colour.range, "tv");
    const std::string bytes = readFile(file);
    EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
    EXPECT_NE(bytes.find("mdat"), std::string::npos);
}

TEST(VideoWriter, WebMIsTaggedToo) {
    const testing::TemporaryFolder folder;
    const VideoInfo info = probeVideo(
        writeVideo(folder / "clip", testing::walkingSquare(3), optionsFor(VideoFormat::WebM)).file);
    EXPECT_EQ(info.pixelFormat, "yuv420p");
    EXPECT_EQ(info.colour.matrix, "bt709");
    EXPECT_EQ(info.colour.range, "tv");
}

TEST(VideoWriter, RatesAreExact) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    for (const auto& [asked, expected] : std::map<double, double>{
             {16, 16}, {24, 24}, {12.5, 12.5}, {29.97, 30000.0 / 1001}, {23.976, 24000.0 / 1001}}) {
        options.fps = asked;
        EXPECT_DOUBLE_EQ(probeVideo(writeVideo(folder / "rate", testing::walkingSquare(9), options).file).fps,
                         expected);
    }
}

TEST(VideoWriter, WithoutH264ItFallsBackToWebMAndSaysSo) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    options.encoderAllowed = [](std::string_view name) { return name != "libx264"; };
    const WrittenVideo written = writeVideo(folder / "clip.mp4", testing::walkingSquare(3), options);
    EXPECT_EQ(written.file, folder / "clip.webm");
    EXPECT_EQ(written.format, VideoFormat::WebM);
    EXPECT_THAT(written.note, HasSubstr("libx264"));
    EXPECT_EQ(probeVideo(written.file).codec, "vp9");
}

TEST(VideoWriter, WithoutAnyEncoderItSaysWhatToChoose) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    options.encoderAllowed = [](std::string_view) { return false; };
    try {
        writeVideo(folder / "clip.mp4", testing::walkingSquare(3), options);
        FAIL() << "there was no encoder";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        EXPECT_THAT(error.what(), HasSubstr("png"));
    }
}

TEST(VideoWriter, RefusesWhatAFormatCannotHold) {
    const testing::TemporaryFolder folder;
    VideoOptions options;
    EXPECT_THROW(writeVideo(folder / "odd", Tensor::zeros({1, 15, 16, 3}, DType::U8), options), Error);
    EXPECT_THROW(writeVideo(folder / "none", Tensor::zeros({0, 16, 16, 3}, DType::U8), options), Error);
    options.fps = 0.0;
    EXPECT_THROW(writeVideo(folder / "still", testing::walkingSquare(1), options), Error);
    options = optionsFor(VideoFormat::Gif);
    options.fps = 60.0;
    EXPECT_THROW(writeVideo(folder / "fast", testing::walkingSquare(1), options), Error);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(VideoWriter, QualityChangesTheSize) {
    const testing::TemporaryFolder folder;
    const auto sizeAt = [&](int quality) {
        VideoOptions options;
        options.quality = quality;
        return fs::file_size(writeVideo(folder / "clip", testing::walkingSquare(17), options).file);
    };
    EXPECT_LT(sizeAt(0), sizeAt(100));
}

}  // namespace

}  // namespace meshreel
