// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>

#include "engine/base/error.h"

namespace meshreel {
namespace {

TEST(Error, SentenceHoldsWhereWhatAndFix) {
    const Error error(ErrorKind::Project, "height is 70", "demo.yaml:3", "Use 64 or 80");
    EXPECT_STREQ(error.what(), "demo.yaml:3: height is 70. Use 64 or 80.");
}

TEST(Error, SentenceEndsOnce) {
    EXPECT_STREQ(Error(ErrorKind::Internal, "Did you mean x?").what(), "Did you mean x?");
    EXPECT_STREQ(Error(ErrorKind::Internal, "Done.").what(), "Done.");
}

TEST(Error, AsASentenceItSaysTheSameAndKeepsItsParts) {
    const Sentence message = sentence("{} is {}", "height", 70);
    for (const Error& error : {Error(ErrorKind::Project, message, "demo.yaml:3", sentence("Use {}", 64)),
                               Error(ErrorKind::Project, message, {}, sentence("Is it {}?", 64)),
                               Error(ErrorKind::Project, message), Error(ErrorKind::Internal, "Done.")})
        EXPECT_EQ(error.asSentence().text(), error.what());
    const Sentence whole = Error(ErrorKind::Project, message, {}, sentence("Use {}", 64)).asSentence();
    ASSERT_EQ(whole.parts().size(), 2U);
    EXPECT_EQ(whole.parts()[0].pattern(), "{}.");
    EXPECT_EQ(whole.parts()[0].parts()[0].pattern(), "{} is {}");
    EXPECT_EQ(whole.parts()[1].parts()[0].pattern(), "Use {}");
}

TEST(Error, ExitCodesAreThoseOfTheRunner) {
    EXPECT_EQ(exitCode(ErrorKind::Internal), 1);
    EXPECT_EQ(exitCode(ErrorKind::Project), 2);
    EXPECT_EQ(exitCode(ErrorKind::Input), 3);
    EXPECT_EQ(exitCode(ErrorKind::Resources), 4);
    EXPECT_EQ(exitCode(ErrorKind::Device), 5);
    EXPECT_EQ(exitCode(ErrorKind::Mismatch), 6);
    EXPECT_EQ(exitCode(ErrorKind::Cancelled), 130);
}

std::vector<std::string> partTexts(const std::vector<Sentence>& sentences) {
    std::vector<std::string> texts;
    for (const Sentence& sentence : sentences)
        texts.push_back(sentence.text());
    return texts;
}

TEST(Sentence, KeepsWhatItWasMadeOf) {
    const std::array<int, 2> legal = {16, 20};
    const Sentence made =
        sentence("{} is {:.1f}, not one of {}", "shift", 2.25, fmt::to_string(fmt::join(legal, ", ")));
    EXPECT_EQ(made.text(), "shift is 2.2, not one of 16, 20");
    EXPECT_EQ(made.pattern(), "{} is {:.1f}, not one of {}");
    EXPECT_EQ(partTexts(made.parts()), (std::vector<std::string>{"shift", "2.2", "16, 20"}));
}

TEST(Sentence, PartsMayBeSentences) {
    const Sentence whole = sentence("{} ({})", sentence("out of memory"), 3);
    EXPECT_EQ(whole.text(), "out of memory (3)");
    EXPECT_EQ(whole.parts().front().pattern(), "out of memory");
    EXPECT_TRUE(whole.parts().back().pattern().empty());
}

TEST(Sentence, NamesAndOtherProgramsWordsHaveNoPattern) {
    const Sentence same = std::string("{not a field}");
    EXPECT_EQ(same.text(), "{not a field}");
    EXPECT_TRUE(same.pattern().empty());
}

TEST(Sentence, OfATableIsItsOwnPattern) {
    const Sentence made = tableText("Text to video");
    EXPECT_EQ(made.text(), "Text to video");
    EXPECT_EQ(made.pattern(), "Text to video");
    EXPECT_TRUE(made.parts().empty());
}

TEST(Sentence, OfAListKeepsItsItems) {
    EXPECT_TRUE(commaList({}).empty());
    EXPECT_EQ(commaList({"one"}).text(), "one");
    const Sentence three = commaList({"one", sentence("two"), "three"});
    EXPECT_EQ(three.text(), "one, two, three");
    EXPECT_EQ(three.parts().front().parts().back().pattern(), "two");
}

TEST(Sentence, BracesThatAreDoubledAreNoFields) {
    EXPECT_EQ(sentence("Write [{{file: {}}}]", "a").text(), "Write [{file: a}]");
    EXPECT_EQ(replacementFields("{{{}}} {:.2f}"), (std::vector<std::string_view>{"{}", "{:.2f}"}));
}

TEST(FillPattern, TakesPartsInOrderOrByNumber) {
    EXPECT_EQ(fillPattern("{} then {:.1f}", {"a", "b"}), "a then b");
    EXPECT_EQ(fillPattern("{1} before {0}", {"a", "b"}), "b before a");
    EXPECT_EQ(fillPattern("{{{}}}", {"a"}), "{a}");
}

TEST(FillPattern, AMistakenTranslationShowsItsField) {
    EXPECT_EQ(fillPattern("{} and {}", {"a"}), "a and {}");
    EXPECT_EQ(fillPattern("{7", {"a"}), "{7");
}

}  // namespace

}  // namespace meshreel
