// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/record_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace meshreel {
namespace {

using nlohmann::json;

const Sentence& nested() {
    static const Sentence made =
        sentence("device {} of {} failed: {}", 3, "host {b}", sentence("{:.1f} GiB are missing", 2.25));
    return made;
}

TEST(SentenceJson, KeepsPatternAndPartsToAnyDepth) {
    const json stored = json::parse(sentencePartsJson(nested()).dump());
    EXPECT_EQ(stored.at("pattern"), "device {} of {} failed: {}");
    EXPECT_EQ(stored.at("parts"),
              json::array({"3", "host {b}", {{"pattern", "{:.1f} GiB are missing"}, {"parts", {"2.2"}}}}));
    const Sentence read = sentenceFrom(nested().text(), stored);
    EXPECT_EQ(read.text(), "device 3 of host {b} failed: 2.2 GiB are missing");
    EXPECT_EQ(read.pattern(), nested().pattern());
    ASSERT_EQ(read.parts().size(), 3U);
    EXPECT_EQ(read.parts().back().pattern(), "{:.1f} GiB are missing");
    EXPECT_EQ(read.parts().back().text(), "2.2 GiB are missing");
}

TEST(SentenceJson, WhatIsTheSameInEveryLanguageHasNoParts) {
    EXPECT_TRUE(sentencePartsJson(std::string("{a name}")).is_null());
    EXPECT_EQ(sentenceFrom("{a name}", nullptr).text(), "{a name}");
}

TEST(SentenceJson, PartsThatDoNotMakeTheTextLeaveItInEnglish) {
    for (const char* parts : {"null", "3", "{}", R"({"pattern": 3, "parts": []})", R"({"pattern": "why"})",
                              R"({"pattern": "another", "parts": []})", R"({"pattern": "{}", "parts": [3]})",
                              R"({"pattern": "{}", "parts": [{"parts": ["why"]}]})"}) {
        const Sentence read = sentenceFrom("why", json::parse(parts));
        EXPECT_EQ(read.text(), "why") << parts;
        EXPECT_TRUE(read.pattern().empty()) << parts;
    }
}

TEST(SentenceJson, StandsBesideItsTextInAnObject) {
    nlohmann::ordered_json object;
    putSentence(object, "why", nested());
    putSentence(object, "note", std::string("a name"));
    EXPECT_EQ(object.at("why"), nested().text()) << "for other programs";
    EXPECT_FALSE(object.contains("note_parts"));
    EXPECT_EQ(sentenceAt(object, "why").pattern(), nested().pattern());
    EXPECT_EQ(sentenceAt(object, "note").text(), "a name");
    object.erase("why_parts");
    EXPECT_EQ(sentenceAt(object, "why").text(), nested().text());
    EXPECT_TRUE(sentenceAt(object, "why").pattern().empty());
    EXPECT_TRUE(sentenceAt(object, "missing").empty());
}

TEST(SentenceJson, TextsAreEnglish) {
    EXPECT_EQ(toTexts({sentence("one {}", 1), Sentence("two")}), (std::vector<std::string>{"one 1", "two"}));
}

}  // namespace
}  // namespace meshreel
