// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/strings.h"

namespace meshreel {
namespace {

using namespace std::string_view_literals;

TEST(Strings, EditDistance) {
    EXPECT_EQ(editDistance("", "abc"), 3U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
    EXPECT_EQ(editDistance("same", "same"), 0U);
}

TEST(Strings, NearestNameKnowsWhenNothingIsNear) {
    const std::array<std::string_view, 3> keys = {"guidance_scale", "height", "num_frames"};
    EXPECT_EQ(nearestName("guidence_scale", keys), "guidance_scale");
    EXPECT_EQ(nearestName("heigth", keys), "height");
    EXPECT_EQ(nearestName("learning_rate", keys), "");
}

TEST(Strings, FormatBytes) {
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(1536), "1.5 KiB");
    EXPECT_EQ(formatBytes(std::size_t{3} << 30), "3.0 GiB");
}

TEST(Utf8, CodePointsOfEveryLengthAreRead) {
    const std::string_view text = "a\u00e9\u732b\U0001F600"sv;
    std::u32string read;
    for (std::size_t position = 0; position < text.size();)
        read += nextCodePoint(text, position).value_or(replacementCharacter);
    EXPECT_EQ(read, U"a\u00e9\u732b\U0001F600");
    std::string written;
    for (const char32_t codePoint : read)
        appendUtf8(written, codePoint);
    EXPECT_EQ(written, text);
}

TEST(Utf8, EveryByteKnowsItsCharacter) {
    const std::string_view text = "a\u00e9\u732b\U0001F600"sv;
    std::vector<std::size_t> begins;
    for (std::size_t position = 0; position < text.size() + 2; ++position)
        begins.push_back(characterBegin(text, position));
    EXPECT_EQ(begins, (std::vector<std::size_t>{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10}));
    EXPECT_EQ(characterBegin("\x80", 0), 0U);
}

TEST(Utf8, ALoopOverAnyBytesEnds) {
    for (unsigned first = 0; first < 256; ++first)
        for (unsigned second = 0; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second), '\0', '\x80'};
            for (std::size_t position = 0; position < text.size();) {
                const std::size_t before = position;
                static_cast<void>(nextCodePoint(text, position));
                ASSERT_GT(position, before);
                ASSERT_LE(position, text.size());
            }
        }
}

TEST(Utf8, TheFirstByteThatIsNotUtf8IsFound) {
    EXPECT_EQ(firstInvalidUtf8("caf\u00e9"), std::nullopt);
    EXPECT_EQ(firstInvalidUtf8("a\0b"sv), std::nullopt);
    EXPECT_EQ(firstInvalidUtf8("caf\xe9"), 3U);           // Latin-1
    EXPECT_EQ(firstInvalidUtf8("a\xed\xa0\x80"), 1U);     // a surrogate
    EXPECT_EQ(firstInvalidUtf8("\xc0\x80"), 0U);          // too long
    EXPECT_EQ(firstInvalidUtf8("ab\xe7\x8c"), 2U);        // cut off
    EXPECT_EQ(firstInvalidUtf8("\xf4\x90\x80\x80"), 0U);  // beyond U+10FFFF
}

TEST(Utf8, BytesThatAreNotUtf8AreReplaced) {
    EXPECT_EQ(wellFormedUtf8("caf\xe9.yaml"), "caf\ufffd.yaml");
    EXPECT_EQ(wellFormedUtf8("\u732b"), "\u732b");
}

TEST(VisibleText, NothingInItActsOnATerminal) {
    EXPECT_EQ(visibleText("a\tb\nc"), "a\tb\nc");
    EXPECT_EQ(visibleText("a\r\nb\rc"), "a\nb\\x0dc");
    EXPECT_EQ(visibleText("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
    EXPECT_EQ(visibleText(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(visibleText("\x7f\u009b\u202egnp.exe\u2066"), "\\u007f\\u009b\\u202egnp.exe\\u2066");
    EXPECT_EQ(visibleText("caf\xe9"), "caf\\xe9") << "no UTF-8";
    EXPECT_EQ(visibleText("\u732b \u0645\u200c \U0001f469\u200d\U0001f680"),
              "\u732b \u0645\u200c \U0001f469\u200d\U0001f680");
    EXPECT_EQ(visibleText(visibleText("\x1b")), visibleText("\x1b"));
}

TEST(RegularExpression, GroupsStandBehindTheWholeMatch) {
    using Groups = RegularExpression::Groups;
    const RegularExpression range(R"((\d+)-(\d+)?)");
    EXPECT_EQ(range.match("12-34"), (Groups{"12-34", "12", "34"}));
    EXPECT_EQ(range.match("12-"), (Groups{"12-", "12", ""})) << "a group that took no part";
    EXPECT_EQ(range.match("12-34 56-78"), std::nullopt) << "not all of it";
    EXPECT_EQ(range.search("of 12-34, 56-78"), (Groups{"12-34", "12", "34"}));
    EXPECT_EQ(range.search("none"), std::nullopt);
}

TEST(RegularExpression, AStrangersPatternDoesNotTakeForEver) {
    const RegularExpression slow("(a*)*b", RegularExpression::Author::Stranger);
    EXPECT_EQ(slow.match(std::string(60, 'a')), std::nullopt);
    EXPECT_TRUE(slow.match(std::string(60, 'a') + "b"));
    EXPECT_THROW(RegularExpression("("), std::invalid_argument);
}

}  // namespace

}  // namespace meshreel
