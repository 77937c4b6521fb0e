// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/alpha.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"
#include "engine/media/video_reader.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int side = 32;

using Rgba = std::array<std::uint8_t, 4>;
constexpr Rgba red{220, 30, 30, 255};
constexpr Rgba hiddenGreen{0, 200, 0, 0};

/// How a test writes pictures with alpha.
struct AlphaFormat {
    const char* file;  ///< its ending names the format
    const char* encoder;
    AVPixelFormat pixels;
    int frames = 1;
};

/// Two entries of a palette, and the halves of them.
void fillPalette(AVFrame& frame, const Rgba& left, const Rgba& right) {
    std::memset(frame.data[1], 0, AVPALETTE_SIZE);
    for (const bool isRight : {false, true}) {
        const Rgba& colour = isRight ? right : left;
        const std::uint32_t argb = std::uint32_t{colour[3]} << 24U | std::uint32_t{colour[0]} << 16U |
                                   std::uint32_t{colour[1]} << 8U | colour[2];
        std::memcpy(frame.data[1] + (isRight ? 4 : 0), &argb, sizeof(argb));
        for (int y = 0; y < side; ++y)
            std::memset(frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0] + (isRight ? side / 2 : 0),
                        isRight ? 1 : 0, side / 2);
    }
}

/// Frames whose left half is `left` and whose right half is `right`; false where this libavcodec has no such
/// encoder.
bool write(const fs::path& file, const AlphaFormat& format, const Rgba& left, const Rgba& right) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(format.encoder);
    if (encoder == nullptr)
        return false;
    const CodecPtr codec(avcodec_alloc_context3(encoder));
    codec->width = codec->height = side;
    codec->pix_fmt = format.pixels;
    codec->time_base = {1, 16};
    codec->thread_count = 1;
    codec->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
    if (avcodec_open2(codec.get(), encoder, nullptr) < 0)
        return false;
    AVFormatContext* output = nullptr;
    avformat_alloc_output_context2(&output, nullptr, nullptr, file.c_str());
    AVStream* stream = avformat_new_stream(output, nullptr);
    avcodec_parameters_from_context(stream->codecpar, codec.get());
    stream->time_base = codec->time_base;
    if (std::string(format.encoder) == "libvpx-vp9")
        av_dict_set(&stream->metadata, "alpha_mode", "1", 0);
    avio_open(&output->pb, file.c_str(), AVIO_FLAG_WRITE);
    bool written = avformat_write_header(output, nullptr) >= 0;

    const FramePtr source = makeFrame(side, side, AV_PIX_FMT_RGBA);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            std::ranges::copy(
                x < side / 2 ? left : right,
                source->data[0] + std::ptrdiff_t{y} * source->linesize[0] + std::ptrdiff_t{x} * 4);
    const bool isPalette = format.pixels == AV_PIX_FMT_PAL8;
    const ScalerPtr scaler(isPalette ? nullptr
                                     : sws_getContext(side, side, AV_PIX_FMT_RGBA, side, side, format.pixels,
                                                      SWS_BILINEAR, nullptr, nullptr, nullptr));
    const PacketPtr packet(av_packet_alloc());
    const auto drain = [&] {
        while (avcodec_receive_packet(codec.get(), packet.get()) >= 0) {
            av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
            written = av_interleaved_write_frame(output, packet.get()) >= 0 && written;
        }
    };
    for (int at = 0; at < format.frames; ++at) {
        const FramePtr frame = makeFrame(side, side, format.pixels);
        if (isPalette)
            fillPalette(*frame, left, right);
        else
            sws_scale(scaler.get(), source->data, source->linesize, 0, side, frame->data, frame->linesize);
        frame->pts = at;
        written = avcodec_send_frame(codec.get(), frame.get()) >= 0 && written;
        drain();
    }
    avcodec_send_frame(codec.get(), nullptr);
    drain();
    written = av_write_trailer(output) >= 0 && written;
    avio_closep(&output->pb);
    avformat_free_context(output);
    return written;
}

void writeCutOut(const fs::path& file, const Rgba& left, const Rgba& right) {
    ASSERT_TRUE(write(file, {"", "png", AV_PIX_FMT_RGBA}, left, right));
}

/// Red, green and blue in the middle of the left (0) or right (1) half of frame 0.
std::vector<int> colourOf(const Tensor& frames, int half) {
    const auto pixels = frames.data<std::uint8_t>();
    const std::size_t at = static_cast<std::size_t>(side / 2 * side + side / 4 + half * side / 2) * 3;
    return {pixels[at], pixels[at + 1], pixels[at + 2]};
}

TEST(Alpha, IsLaidOnWhite) {
    const std::array<std::uint8_t, 12> rgba{10, 20, 30, 255, 10, 20, 30, 0, 0, 100, 200, 128};
    std::array<std::uint8_t, 9> rgb{};
    EXPECT_TRUE(readAlpha(rgba, AlphaUse::OnWhite, rgb));
    EXPECT_THAT(rgb, ElementsAre(10, 20, 30, 255, 255, 255, 127, 177, 227));
    readAlpha(rgba, AlphaUse::AsGrey, rgb);
    EXPECT_THAT(rgb, ElementsAre(255, 255, 255, 0, 0, 0, 128, 128, 128));
    readAlpha(rgba, AlphaUse::Dropped, rgb);
    EXPECT_THAT(rgb, ElementsAre(10, 20, 30, 10, 20, 30, 0, 100, 200));
    EXPECT_FALSE(readAlpha(std::span(rgba).first(4), AlphaUse::OnWhite, std::span(rgb).first(3)));
}

TEST(Alpha, OfEveryFormatIsLaidOnWhite) {
    const testing::TemporaryFolder folder;
    int tried = 0;
    for (const AlphaFormat& format :
         {AlphaFormat{"a.png", "png", AV_PIX_FMT_RGBA}, AlphaFormat{"b.png", "png", AV_PIX_FMT_RGBA64BE},
          AlphaFormat{"a.tiff", "tiff", AV_PIX_FMT_RGBA}, AlphaFormat{"b.tiff", "tiff", AV_PIX_FMT_RGBA64LE},
          AlphaFormat{"a.bmp", "bmp", AV_PIX_FMT_BGRA}, AlphaFormat{"a.mkv", "ffv1", AV_PIX_FMT_YUVA420P, 3},
          AlphaFormat{"b.mkv", "ffvhuff", AV_PIX_FMT_BGRA, 3},
          AlphaFormat{"c.mkv", "ffv1", AV_PIX_FMT_BGRA, 3}, AlphaFormat{"c.mov", "png", AV_PIX_FMT_RGBA, 3},
          AlphaFormat{"d.mkv", "utvideo", AV_PIX_FMT_GBRAP, 3},
          AlphaFormat{"a.avi", "rawvideo", AV_PIX_FMT_BGRA, 3},
          AlphaFormat{"a.apng", "apng", AV_PIX_FMT_RGBA, 3},
          AlphaFormat{"a.webp", "libwebp", AV_PIX_FMT_BGRA},
          AlphaFormat{"b.webp", "libwebp", AV_PIX_FMT_YUVA420P},
          AlphaFormat{"c.webp", "libwebp_anim", AV_PIX_FMT_BGRA, 3},
          AlphaFormat{"a.mov", "prores_ks", AV_PIX_FMT_YUVA444P10, 3},
          AlphaFormat{"b.mov", "qtrle", AV_PIX_FMT_ARGB, 3},
          AlphaFormat{"a.webm", "libvpx-vp9", AV_PIX_FMT_YUVA420P, 3}}) {
        SCOPED_TRACE(format.file);
        const fs::path file = folder / format.file;
        if (!write(file, format, red, hiddenGreen))
            continue;
        ++tried;
        const VideoInfo info = probeFirstFrame(file);
        EXPECT_TRUE(info.mayHaveAlpha);
        EXPECT_TRUE(info.transparent);
        const Tensor frames = readVideo(file);
        EXPECT_GE(frames.extent(0), 1);
        const std::vector<int> seen = colourOf(frames, 0);
        EXPECT_NEAR(seen[0], red[0], 12);
        EXPECT_NEAR(seen[1], red[1], 12);
        for (const int colour : colourOf(frames, 1))
            EXPECT_GE(colour, 253);
    }
    EXPECT_GE(tried, 6);
}

TEST(Alpha, OfGreyPicturesIsLaidOnWhite) {
    const testing::TemporaryFolder folder;
    constexpr Rgba grey{80, 80, 80, 255};
    for (const AlphaFormat& format :
         {AlphaFormat{"a.png", "png", AV_PIX_FMT_YA8}, AlphaFormat{"b.png", "png", AV_PIX_FMT_YA16BE}}) {
        SCOPED_TRACE(format.file);
        const fs::path file = folder / format.file;
        ASSERT_TRUE(write(file, format, grey, hiddenGreen));
        EXPECT_TRUE(probeFirstFrame(file).transparent);
        const Tensor picture = readVideo(file);
        EXPECT_NEAR(colourOf(picture, 0)[0], grey[0], 1);
        EXPECT_THAT(colourOf(picture, 1), ElementsAre(255, 255, 255));
    }
}

/// Makes one tag of a TIFF file another one with a value of 16 bits; tags stand in order.
void setTiffTag(const fs::path& file, std::uint16_t tag, std::uint16_t value, std::uint16_t inPlaceOf) {
    std::string bytes = readFile(file);
    const auto number = [&](std::size_t at, int count) {
        std::size_t read = 0;
        for (int index = count; index-- > 0;)
            read = read << 8U | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(index)]);
        return read;
    };
    const auto put = [&](std::size_t at, std::uint16_t what) {
        bytes[at] = static_cast<char>(what);
        bytes[at + 1] = static_cast<char>(what >> 8U);
    };
    ASSERT_TRUE(bytes.starts_with("II"));
    const std::size_t directory = number(4, 4);
    for (std::size_t index = 0; index < number(directory, 2); ++index) {
        const std::size_t entry = directory + 2 + index * 12;
        if (number(entry, 2) != inPlaceOf)
            continue;
        put(entry, tag);
        put(entry + 2, 3);
        put(entry + 4, 1);
        put(entry + 8, value);
        writeFileAtomically(file, bytes);
        return;
    }
    FAIL() << "no tag " << inPlaceOf;
}

TEST(Alpha, OfATiffIsReadAsTheFileSaysThatItIs) {
    constexpr std::uint16_t extraSamples = 338;
    constexpr std::uint16_t sampleFormat = 339;
    constexpr Rgba faded{100, 20, 0, 128};
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.tiff";
    const auto writeTiff = [&] {
        if (!write(file, {"", "tiff", AV_PIX_FMT_RGBA}, red, faded))
            FAIL() << "no encoder of TIFF";
    };
    const auto refusal = [&] { return testing::refusalOf(ErrorKind::Input, [&file] { readImage(file); }); };
    writeTiff();
    EXPECT_THAT(colourOf(readImage(file), 1), ElementsAre(177, 137, 127)) << "straight";
    setTiffTag(file, extraSamples, 1, extraSamples);
    EXPECT_THAT(colourOf(readImage(file), 1), ElementsAre(227, 147, 127)) << "multiplied";
    EXPECT_THAT(colourOf(readImage(file), 0), ElementsAre(red[0], red[1], red[2]));
    setTiffTag(file, extraSamples, 0, extraSamples);
    const testing::Refusal channel = refusal();
    writeTiff();
    setTiffTag(file, sampleFormat, 3, extraSamples);
    testing::expectFaults({{"a channel", channel}, {"samples", refusal()}});
    writeTiff();
    setTiffTag(file, sampleFormat, 1, extraSamples);
    EXPECT_FALSE(refusal());
    writeTiff();
    setTiffTag(file, 700, 1, extraSamples);
    EXPECT_FALSE(refusal()) << "tags that libavcodec does not know";
}

TEST(Alpha, OfAPaletteIsLaidOnWhite) {
    const testing::TemporaryFolder folder;
    for (const AlphaFormat& format :
         {AlphaFormat{"p.png", "png", AV_PIX_FMT_PAL8}, AlphaFormat{"p.gif", "gif", AV_PIX_FMT_PAL8, 3}}) {
        SCOPED_TRACE(format.file);
        const fs::path file = folder / format.file;
        ASSERT_TRUE(write(file, format, red, hiddenGreen));
        EXPECT_TRUE(probeFirstFrame(file).transparent);
        const Tensor frames = readVideo(file);
        EXPECT_THAT(colourOf(frames, 0), ElementsAre(red[0], red[1], red[2]));
        EXPECT_THAT(colourOf(frames, 1), ElementsAre(255, 255, 255));
    }
}

TEST(Alpha, InASecondPictureOfTheFileIsRefused) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.avif";
    if (!write(file, {"", "libaom-av1", AV_PIX_FMT_YUV420P}, red, red))
        GTEST_SKIP() << "this libavformat writes no AVIF";
    EXPECT_NO_THROW(readVideo(file));
    // A box that readers skip names the second picture as its property would.
    std::string free(
        "\0\0\0\x38"
        "free",
        8);
    free += "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";
    free.resize(0x38);
    writeFileAtomically(file, readFile(file) + free);
    try {
        readVideo(file);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_THAT(std::string(error.what()), HasSubstr("second picture"));
    }
}

TEST(Alpha, OpaquePicturesStayAsTheyAre) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "opaque.png";
    writeCutOut(file, red, {1, 2, 3, 255});
    EXPECT_FALSE(probeFirstFrame(file).transparent);
    EXPECT_THAT(colourOf(readVideo(file), 0), ElementsAre(220, 30, 30));
    EXPECT_THAT(colourOf(readVideo(file), 1), ElementsAre(1, 2, 3));
}

TEST(Alpha, AMasksShapeMayBeInIt) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "mask.png";
    const auto shape = [&](const Rgba& left, const Rgba& right) {
        writeCutOut(file, left, right);
        return hasShapeInAlpha(file);
    };
    EXPECT_TRUE(shape({0, 0, 0, 255}, {0, 0, 0, 0}));
    EXPECT_TRUE(shape({255, 255, 255, 255}, {0, 0, 0, 0})) << "what nobody sees does not count";
    EXPECT_TRUE(shape({255, 255, 255, 255}, {255, 255, 255, 10}));
    EXPECT_FALSE(shape({255, 255, 255, 255}, {0, 0, 0, 255})) << "black and white";
    EXPECT_FALSE(shape({255, 255, 255, 255}, {0, 0, 0, 128})) << "two visible colours";
    EXPECT_FALSE(shape({0, 0, 0, 255}, {0, 0, 0, 255}));
    EXPECT_FALSE(shape({0, 0, 0, 0}, {0, 0, 0, 0}));
}

TEST(Alpha, AMaskOfAFolderIsJudgedAsAWhole) {
    const testing::TemporaryFolder folder;
    fs::create_directory(folder / "mask");
    writeCutOut(folder / "mask" / "frame_1.png", {0, 0, 0, 255}, {0, 0, 0, 0});
    writeCutOut(folder / "mask" / "frame_2.png", {0, 0, 0, 0}, {0, 0, 0, 0});
    EXPECT_TRUE(hasShapeInAlpha(folder / "mask"));
    writeCutOut(folder / "mask" / "frame_3.png", {255, 255, 255, 255}, {0, 0, 0, 0});
    EXPECT_FALSE(hasShapeInAlpha(folder / "mask"));
}

}  // namespace
}  // namespace meshreel
