// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/bounded_input.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/media/image.h"
#include "engine/media/sound.h"
#include "engine/media/video_reader.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::Exceeds;
using testing::Names;
using testing::Refusal;

Refusal whatStops(const std::function<void()>& work) {
    return testing::refusalOf(ErrorKind::Input, work);
}

std::string bigEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int at = bytes - 1; at >= 0; --at)
        text += static_cast<char>(value >> static_cast<unsigned>(8 * at));
    return text;
}

/// With a checksum of nothing, which is not looked at.
std::string chunk(std::string_view name, std::string_view bytes) {
    return bigEndian(bytes.size(), 4) + std::string(name) + std::string(bytes) + std::string(4, '\0');
}

const std::string pngStart = "\x89PNG\r\n\x1a\n";

std::string pngHeader(std::uint32_t width, std::uint32_t height, char depth = 8) {
    return chunk("IHDR", bigEndian(width, 4) + bigEndian(height, 4) + depth + std::string("\x02\0\0\0", 4));
}

std::string box(std::string_view name, const std::string& bytes) {
    return bigEndian(bytes.size() + 8, 4) + std::string(name) + bytes;
}

/// Ends where the table of sizes begins, which says that it goes on for 240 MB.
std::string movieOfMillions() {
    const std::uint64_t endless = 500'000'000;
    const std::string handler = box("hdlr", std::string(8, '\0') + "vide" + std::string(13, '\0'));
    std::string open = bigEndian(endless, 4) + "stsz" + std::string(8, '\0') + bigEndian(60'000'000, 4);
    for (const std::string_view name : {"stbl", "minf"})
        open = bigEndian(endless + open.size(), 4) + std::string(name) + open;
    open = bigEndian(endless + 100'000, 4) + "mdia" + handler + open;
    for (const std::string_view name : {"trak", "moov"})
        open = bigEndian(endless + 200'000, 4) + std::string(name) + open;
    return box("ftyp", "isom" + std::string(4, '\0') + "isom") + open;
}

TEST(BoundedInput, APictureOfTooManyPixelsIsRefusedBeforeItIsDecoded) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.png";
    writeFileAtomically(file, pngStart + pngHeader(50'000, 50'000) + chunk("IDAT", "x") + chunk("IEND", ""));
    EXPECT_THAT(whatStops([&] { readImage(file); }), Names(std::to_string(limitValue(Limit::PicturePixels))));
    // Twice the memory a pixel.
    writeFileAtomically(file,
                        pngStart + pngHeader(10'000, 10'000, 16) + chunk("IDAT", "x") + chunk("IEND", ""));
    EXPECT_THAT(whatStops([&] { readImage(file); }),
                AllOf(Exceeds(Limit::PicturePixels), Names("200000000")));
}

TEST(BoundedInput, TextsOfAPngThatUnpackToAThousandTimesAsMuchAreRefused) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.png";
    std::string texts;
    for (int i = 0; i < 6; ++i)
        texts += chunk("zTXt", std::string("k\0\0", 3) + std::string(100'000, 'x'));
    writeFileAtomically(file, pngStart + pngHeader(16, 16) + chunk("IDAT", "x") + texts + chunk("IEND", ""));
    EXPECT_THAT(whatStops([&] { readImage(file); }), Exceeds(Limit::PackedText));
}

TEST(BoundedInput, APngOfThousandsOfTextsIsRefused) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.png";
    std::string texts;
    for (int i = 0; i < 1001; ++i)
        texts += chunk("tEXt", std::to_string(i) + std::string(1, '\0'));
    writeFileAtomically(file, pngStart + pngHeader(16, 16) + texts + chunk("IDAT", "x") + chunk("IEND", ""));
    EXPECT_THAT(whatStops([&] { readImage(file); }), AllOf(Exceeds(Limit::PictureTexts), Names("1001")));
}

TEST(BoundedInput, AJpegOfThousandsOfScansIsRefused) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.jpg";
    std::string jpeg = "\xFF\xD8\xFF\xE0";
    for (int i = 0; i < 1000; ++i)
        jpeg += std::string("\xFF\xDA\0\x03\x01\x01", 6);
    writeFileAtomically(file, jpeg);
    EXPECT_THAT(whatStops([&] { readImage(file); }), AllOf(Exceeds(Limit::JpegScans), Names("501")));
}

TEST(BoundedInput, ASparsePictureIsReadNoFurtherThanThereArePictures) {
    const testing::TemporaryFolder folder;
    for (const auto& [name, start] :
         {std::pair<const char*, std::string>{"a.png", pngStart + pngHeader(16, 16)},
          {"a.jpg", std::string("\xFF\xD8\xFF\xE0\0\x10JFIF\0", 11)},
          {"a.bmp",
           "BM" + std::string("\xFF\xFF\xFF\x7F\0\0\0\0\x36\0\0\0\x28\0\0\0\x10\0\0\0\x10\0\0\0\x01\0\x18\0",
                              28)}}) {
        const fs::path file = folder / name;
        writeFileAtomically(file, start);
        fs::resize_file(file, std::uintmax_t{6'000'000'000});
        EXPECT_THAT(whatStops([&] { readImage(file); }), testing::At(file.string()));
    }
}

TEST(BoundedInput, AnIndexThatGoesOnIsNotReadToItsEnd) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.mp4";
    writeFileAtomically(file, movieOfMillions());
    fs::resize_file(file, std::uintmax_t{6'000'000'000});
    EXPECT_THAT(whatStops([&] { probeVideo(file); }), Exceeds(Limit::MediaHeader));
    EXPECT_THAT(whatStops([&] { SoundTrack::open(file); }), Exceeds(Limit::MediaHeader));
}

TEST(BoundedInput, AnAnimatedWebPOfAnySizeIsRefused) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "a.webp";
    std::string start =
        "RIFF" + std::string("\xFF\xFF\xFF\x7F", 4) + "WEBPVP8X" + std::string("\x0A\0\0\0\x02\0\0\0", 8);
    start += std::string("\x0F\0\0\x0F\0\0", 6) + std::string(64, '\0');
    writeFileAtomically(file, start);
    fs::resize_file(file, std::uintmax_t{6'000'000'000});
    EXPECT_THAT(whatStops([&] { probeVideo(file); }), Exceeds(Limit::Picture));
}

TEST(BoundedInput, FramesCountByTheBytesThatTheirFormatTakes) {
    const auto said = [](int width, int height, AVPixelFormat format) {
        AVCodecParameters video{};
        video.width = width;
        video.height = height;
        video.format = format;
        return whatStops([&] { requireFrameSize(video, "a.mp4"); });
    };
    EXPECT_FALSE(said(7680, 4320, AV_PIX_FMT_YUV420P));
    EXPECT_FALSE(said(7680, 4320, AV_PIX_FMT_YUV420P10LE));
    EXPECT_THAT(said(7680, 4320, AV_PIX_FMT_YUV444P10LE), Exceeds(Limit::VideoFrame));
    EXPECT_THAT(said(16384, 16384, AV_PIX_FMT_YUV420P),
                AllOf(Exceeds(Limit::VideoFrame), Names("402653184")));
}

}  // namespace
}  // namespace meshreel
