// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/written_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WrittenText, LosesTheMarkThatWindowsProgramsPutFirst) {
    EXPECT_EQ(withoutByteOrderMark("\xEF\xBB\xBF"
                                   "red"),
              "red");
    EXPECT_EQ(withoutByteOrderMark("red\xEF\xBB\xBF"), "red\xEF\xBB\xBF") << "elsewhere it is text";
    EXPECT_EQ(withoutByteOrderMark(""), "");
}

TEST(WrittenText, HasLinesByTheEndsOfEverySystem) {
    EXPECT_THAT(textLines("a\nb\r\nc\rd"), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(textLines("a\n\r\r\n"), ElementsAre("a", "", ""));
    EXPECT_THAT(textLines(""), IsEmpty());
    for (const char* text : {"a\nb\r\nc\rd", "a\n\r\r\n", "\n", "a"})
        EXPECT_EQ(countLineEnds(text),
                  textLines(text).size() - (text == std::string("a\nb\r\nc\rd") || text == std::string("a")))
            << text;
}

TEST(WrittenText, IsReadAsALatinKeyboardWritesIt) {
    EXPECT_EQ(plainText("［0：33％］ ８１"), "[0:33%] 81");
    EXPECT_EQ(plainText("【٠:٣٣٪】"), "[0:33%]");
    EXPECT_EQ(plainText("“a” ‘b’ −1 3\u00A0000"), "\"a\" 'b' -1 3 000");
    EXPECT_EQ(plainText("7\u200B\uFEFF\u2060"), "7");
    EXPECT_EQ(plainText("红球 👩\u200D👧 é \xff"), "红球 👩\u200D👧 é \xff") << "nothing else changes";
}

TEST(WrittenText, KnowsWherePlainSignsComeFrom) {
    const std::string text = "球［1］\u200Bx";
    const PlainText plain = placedPlainText(text);
    EXPECT_EQ(plain.text, "球[1]x");
    EXPECT_EQ(plain.origin.size(), plain.text.size() + 1);
    EXPECT_EQ(text.substr(plain.origin[plain.text.find('[')], 3), "［");
    EXPECT_EQ(plain.origin[plain.text.find('x')], text.size() - 1);
    EXPECT_EQ(plain.origin.back(), text.size());
}

TEST(WrittenText, ShowsWhatCannotBeSeen) {
    EXPECT_EQ(shownText("seed\u200B \u00A07"), "seed\\u200b \\u00a07");
    EXPECT_EQ(shownText("红球 é"), "红球 é");
}

TEST(WrittenText, FindsFilesWhoseNamesMacOsTookApart) {
    const testing::TemporaryFolder folder;
    const std::string composed = "f\u00E1rbe";
    const std::string apart = "fa\u0301rbe";
    fs::create_directory(folder / apart);
    std::ofstream(folder / apart / (apart + ".txt")) << "red";
    EXPECT_EQ(twinOf(folder / composed / (composed + ".txt")), folder / apart / (apart + ".txt"));
    EXPECT_EQ(twinOf(folder / apart), folder / apart);
    EXPECT_EQ(twinOf(folder / "f\u00E0rbe"), folder / "f\u00E0rbe") << "another letter is another name";
    EXPECT_EQ(twinOf(folder / "farbe"), folder / "farbe");
    fs::create_directory(folder / composed);
    EXPECT_EQ(twinOf(folder / composed), folder / composed) << "what is there is taken";
}

}  // namespace
}  // namespace meshreel
