// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/png_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/tensor/tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::Optional;

std::string smallPng() {
    Tensor image = Tensor::empty({2, 3, 3}, DType::U8);
    for (std::uint8_t& value : image.data<std::uint8_t>())
        value = 100;
    return encodePng(image);
}

class PngTexts : public ::testing::Test {
  protected:
    [[nodiscard]] std::optional<std::string> textIn(const std::string& png,
                                                    const char* keyword = "look") const {
        writeFileAtomically(m_folder / "a.png", png);
        return readPngText(m_folder / "a.png", keyword);
    }
    [[nodiscard]] const testing::TemporaryFolder& folder() const { return m_folder; }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(PngTexts, ComeBackAndLeaveThePictureAsItIs) {
    const std::string text = "name: \"Größe\"\nvalues:\n  a: 1\n";
    const std::string png = withPngText(smallPng(), "look", text);
    EXPECT_THAT(textIn(png), Optional(text));
    const Tensor before = readImage([&] {
        writeFileAtomically(folder() / "before.png", smallPng());
        return folder() / "before.png";
    }());
    const Tensor after = readImage(folder() / "a.png");
    EXPECT_EQ(before.shape().text(), after.shape().text());
    EXPECT_TRUE(std::ranges::equal(before.data<std::uint8_t>(), after.data<std::uint8_t>()));
}

TEST_F(PngTexts, AreReplacedByKeyword) {
    const std::string once = withPngText(withPngText(smallPng(), "other", "x"), "look", "first");
    const std::string twice = withPngText(once, "look", "second");
    EXPECT_THAT(textIn(twice), Optional(std::string("second")));
    EXPECT_THAT(textIn(twice, "other"), Optional(std::string("x")));
    EXPECT_EQ(twice.size(), once.size() + 1);
}

TEST_F(PngTexts, AreNotInOtherFiles) {
    EXPECT_FALSE(textIn(smallPng()));
    EXPECT_FALSE(textIn(""));
    EXPECT_FALSE(textIn("no picture, but look"));
    EXPECT_THROW(readPngText(folder() / "gone.png", "look"), Error);
    EXPECT_THROW(readPngText(folder().path(), "look"), Error);
}

TEST_F(PngTexts, OfDamagedFilesCountAsNotThere) {
    const std::string png = withPngText(smallPng(), "look", "a text of a look");
    const std::size_t place = png.find("a text");
    std::string changed = png;
    changed[place] = 'b';  // the checksum is of another text
    EXPECT_FALSE(textIn(changed));
    for (const std::size_t length : {std::size_t{4}, std::size_t{10}, place, place + 3, png.find("IDAT")})
        static_cast<void>(textIn(png.substr(0, length)));
    EXPECT_FALSE(textIn(png.substr(0, place + 3)));
    std::string claims = png;
    claims[png.find("iTXt") - 4] = '\x7F';  // two gigabytes
    EXPECT_FALSE(textIn(claims));
    std::string packed = withPngText(smallPng(), "look", "x");
    packed[packed.find("look") + 5] = '\1';
    EXPECT_FALSE(textIn(packed));
}

TEST_F(PngTexts, ThatCannotStandThereAreRefused) {
    EXPECT_THROW(withPngText("no picture", "look", "x"), Error);
    EXPECT_THROW(withPngText(smallPng().substr(0, 30), "look", "x"), Error);
    EXPECT_THROW(withPngText(smallPng(), "", "x"), Error);
    EXPECT_THROW(withPngText(smallPng(), "look", std::string(mostPngTextBytes + 1, 'a')), Error);
    EXPECT_THROW(withPngText(smallPng(), "look", "\xFF"), Error);
}

}  // namespace
}  // namespace meshreel
