// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/unicode.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

TEST(Unicode, Utf8RoundTrip) {
    const std::string text = "aé猫😀";
    EXPECT_EQ(fromUtf8(text), U"aé猫😀");
    EXPECT_EQ(toUtf8(U"aé猫😀"), text);
    EXPECT_EQ(toUtf8(std::u32string{0xD800, 0x110000}), "\uFFFD\uFFFD");
}

TEST(Unicode, StrictUtf8RefusesWhatIsNotShortestOrNotACharacter) {
    for (const char* bytes :
         {"\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xE7\x8C", "\xFF"})
        EXPECT_FALSE(fromStrictUtf8(bytes)) << bytes;
    EXPECT_EQ(fromStrictUtf8("\xED\x95\x9C"), U"한");
}

TEST(Unicode, VariantsAreSurrogatePairsAndTheLongNul) {
    EXPECT_EQ(fromUtf8Variants("\xED\xA0\xBD\xED\xB8\x8D"), U"\U0001F60D");
    EXPECT_EQ(fromUtf8Variants("a\xC0\x80"
                               "b"),
              std::u32string(U"a\0b", 3));
    EXPECT_EQ(fromUtf8Variants("\xED\x95\x9C"), U"한");
    EXPECT_FALSE(fromUtf8Variants("\xED\xA0\xBDx"));
    EXPECT_FALSE(fromUtf8Variants("\xED\xB8\x8D\xED\xA0\xBD"));
    EXPECT_FALSE(fromUtf8Variants("\xC0\x81"));
    EXPECT_FALSE(fromUtf8Variants("\xED"));
}

TEST(Unicode, UpperCaseMayGrow) {
    EXPECT_EQ(toUpper(U"ßñ"), U"SSÑ");
}

}  // namespace
}  // namespace meshreel
