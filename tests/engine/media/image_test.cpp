// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/image.h"

#include <gmock/gmock.h>

#include "clips.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

Tensor oddImage() {
    Tensor image = Tensor::empty({5, 7, 3}, DType::U8);
    std::uint8_t value = 0;
    for (std::uint8_t& byte : image.data<std::uint8_t>())
        byte = value += 37;
    return image;
}

TEST(Image, PngRoundTripIsExact) {
    const testing::TemporaryFolder folder;
    const Tensor image = oddImage();
    writePng(folder / "50% of: an image.png", image);
    const Tensor back = readImage(folder / "50% of: an image.png");
    ASSERT_EQ(back.shape(), image.shape());
    EXPECT_THAT(back.data<std::uint8_t>(), ::testing::ElementsAreArray(image.data<std::uint8_t>()));
}

TEST(Image, EqualImagesGiveEqualBytes) {
    EXPECT_EQ(encodePng(oddImage()), encodePng(oddImage()));
}

TEST(Image, TruncatedPngIsRefused) {
    const testing::TemporaryFolder folder;
    const std::string png = encodePng(oddImage());
    writeFileAtomically(folder / "cut.png", std::string_view(png).substr(0, png.size() / 2));
    EXPECT_THROW(readImage(folder / "cut.png"), Error);
}

TEST(Image, WhatIsNoImageIsRefusedWithASentence) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "note.png", "version: 1\nprompt: a ball\n");
    const testing::Refusal refused =
        testing::refusalOf(ErrorKind::Input, [&] { readImage(folder / "note.png"); });
    EXPECT_TRUE(refused) << "a text file was read as an image";
    EXPECT_THAT(refused, testing::At((folder / "note.png").string()));
    EXPECT_FALSE(refused.problem.hint().empty());
}

fs::path seed(const char* name) {
    return testing::sourceFolder() / "tests/fuzz/seeds/fuzz_image" / name;
}

TEST(Image, FilesOfEveryTypeAreRead) {
    EXPECT_EQ(readImage(seed("png")).shape(), (Shape{3, 2, 3})) << "not turned as its EXIF data say";
    const Tensor jpeg = readImage(seed("jpeg"));
    EXPECT_EQ(jpeg.shape(), (Shape{16, 8, 3})) << "not turned as its EXIF data say";
    EXPECT_THAT(jpeg.data<std::uint8_t>(), ::testing::Each(128));
    for (const char* name : {"webp", "gif", "bmp"})
        EXPECT_EQ(readImage(seed(name)).shape(), (Shape{1, 1, 3})) << name;
    EXPECT_THAT(readImage(seed("bmp")).data<std::uint8_t>(), ::testing::ElementsAre(3, 2, 1));
}

TEST(Image, ASmallFileOfAHugeImageIsRefused) {
    EXPECT_THROW(static_cast<void>(readImage(seed("png_bomb"))), Error);
}

/// What the fuzzers start from and what they found: each is read or refused in words.
TEST(Image, FuzzSeedsAreReadOrRefused) {
    for (const auto& entry : fs::directory_iterator(seed(""))) {
        SCOPED_TRACE(entry.path());
        try {
            EXPECT_GT(readImage(entry.path()).elements(), 0);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
        }
    }
}

TEST(Image, WhatIsNoFileIsRefusedAtOnce) {
    for (const char* path : {"/dev/zero", "/dev/null", "/tmp", "/nowhere/at/all.png"})
        EXPECT_THROW(static_cast<void>(readImage(path)), Error) << path;
}

}  // namespace
}  // namespace meshreel
