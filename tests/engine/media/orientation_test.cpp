// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/orientation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/base/files.h"
#include "engine/media/image.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using namespace std::string_literals;

/// One channel three times; `rows` of equal length.
Tensor imageOf(const std::vector<std::string>& rows) {
    const auto width = static_cast<std::int64_t>(rows.front().size());
    Tensor image = Tensor::empty({std::ssize(rows), width, 3}, DType::U8);
    std::uint8_t* to = image.data<std::uint8_t>().data();
    for (const std::string& row : rows)
        for (const char letter : row)
            to = std::fill_n(to, 3, static_cast<std::uint8_t>(letter));
    return image;
}

std::string lettersOf(const Tensor& image) {
    std::string letters;
    for (std::int64_t row = 0; row < image.extent(0); ++row) {
        for (std::int64_t column = 0; column < image.extent(1); ++column)
            letters += static_cast<char>(
                image.data<std::uint8_t>()[static_cast<std::size_t>((row * image.extent(1) + column) * 3)]);
        letters += ' ';
    }
    return letters;
}

struct Seen {
    int exif;
    std::array<std::int32_t, 4> matrix;  // a, b, c, d
    const char* letters;
};

constexpr Seen all[] = {{1, {1, 0, 0, 1}, "abc def "},    {2, {-1, 0, 0, 1}, "cba fed "},
                        {3, {-1, 0, 0, -1}, "fed cba "},  {4, {1, 0, 0, -1}, "def abc "},
                        {5, {0, 1, 1, 0}, "ad be cf "},   {6, {0, 1, -1, 0}, "da eb fc "},
                        {7, {0, -1, -1, 0}, "fc eb da "}, {8, {0, -1, 1, 0}, "cf be ad "}};

std::string number(std::size_t value, std::size_t bytes, bool little) {
    std::string text;
    for (std::size_t index = 0; index < bytes; ++index)
        text += static_cast<char>(value >> (8 * (little ? index : bytes - 1 - index)));
    return text;
}

/// A directory of one other entry and the orientation.
std::string tiffOf(int orientation, bool little) {
    const auto of = [&](std::size_t value, std::size_t bytes) { return number(value, bytes, little); };
    return (little ? "II*\0"s : "MM\0*"s) + of(8, 4) + of(2, 2) + of(0x0100, 2) + of(4, 2) + of(1, 4) +
           of(6, 4) + of(0x0112, 2) + of(3, 2) + of(1, 4) + of(static_cast<std::size_t>(orientation), 2) +
           of(0, 2) + of(0, 4);
}

std::string pngOf(const std::string& png, const std::string& tiff) {
    constexpr std::size_t behindHeader = 8 + 12 + 13;
    return png.substr(0, behindHeader) + number(tiff.size(), 4, false) + "eXIf" + tiff + "\0\0\0\0"s +
           png.substr(behindHeader);
}

std::string jpegOf(const std::string& tiff) {
    const std::string exif = "Exif\0\0"s + tiff;
    return "\xFF\xD8\xFF\xE0"s + number(4, 2, false) + "JF\xFF\xFF\xE1"s + number(exif.size() + 2, 2, false) +
           exif + "\xFF\xDA\0\2"s;
}

std::string webpOf(const std::string& tiff) {
    return "RIFF\0\0\0\0WEBPVP8X"s + number(3, 4, true) + "abc\0"s + "EXIF" + number(tiff.size(), 4, true) +
           tiff;
}

TEST(Orientation, TurnsImagesAsExifMeansIt) {
    const Tensor image = imageOf({"abc", "def"});
    for (const Seen& seen : all)
        EXPECT_EQ(lettersOf(upright(image, static_cast<Orientation>(seen.exif))), seen.letters) << seen.exif;
}

TEST(Orientation, DisplayMatricesMeanTheSame) {
    for (const Seen& seen : all) {
        const auto& m = seen.matrix;
        constexpr std::int32_t one = 1 << 16;
        EXPECT_EQ(orientationOfMatrix({m[0] * one, m[1] * one, 0, m[2] * one, m[3] * one, 0, 5, 7, 1 << 30}),
                  static_cast<Orientation>(seen.exif));
    }
    EXPECT_EQ(orientationOfMatrix({1, 1, 0, -1, 1, 0, 0, 0, 1}), Orientation::Upright) << "an eighth turn";
}

TEST(Orientation, IsFoundInEveryFileType) {
    const std::string png = encodePng(imageOf({"abc", "def"}));
    for (const bool little : {true, false})
        for (const Seen& seen : all) {
            const std::string tiff = tiffOf(seen.exif, little);
            const auto expected = static_cast<Orientation>(seen.exif);
            EXPECT_EQ(exifOrientation(tiff), expected);
            EXPECT_EQ(exifOrientation(jpegOf(tiff)), expected);
            EXPECT_EQ(exifOrientation(pngOf(png, tiff)), expected);
            EXPECT_EQ(exifOrientation(webpOf(tiff)), expected);
        }
    EXPECT_EQ(exifOrientation(png), Orientation::Upright);
    EXPECT_EQ(exifOrientation(""), Orientation::Upright);
    for (const int wrong : {0, 9, 255})
        EXPECT_EQ(exifOrientation(tiffOf(wrong, true)), Orientation::Upright);
}

TEST(Orientation, DamagedFilesAreReadToTheirEnd) {
    const std::string png = encodePng(imageOf({"abc", "def"}));
    for (const std::string& file :
         {tiffOf(6, true), jpegOf(tiffOf(6, false)), pngOf(png, tiffOf(6, true)), webpOf(tiffOf(6, true))})
        for (std::size_t size = 0; size < file.size(); ++size) {
            const std::string cut = file.substr(0, size);
            const Orientation found = exifOrientation(cut);
            EXPECT_TRUE(found == Orientation::Upright || found == Orientation::QuarterTurn);
            std::string wild = file;
            wild[size] = '\xFF';
            static_cast<void>(exifOrientation(wild));
        }
}

TEST(Orientation, ReadImageTurnsThePicture) {
    const testing::TemporaryFolder folder;
    const Tensor image = imageOf({"abc", "def"});
    writeFileAtomically(folder / "turned.png", pngOf(encodePng(image), tiffOf(6, true)));
    EXPECT_EQ(lettersOf(readImage(folder / "turned.png")), "da eb fc ");
}

}  // namespace
}  // namespace meshreel
