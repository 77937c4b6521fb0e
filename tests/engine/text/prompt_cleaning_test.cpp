// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/prompt_cleaning.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden_prompts.h"

namespace meshreel {
namespace {

TEST(PromptCleaning, GivesWhatDiffusersGives) {
    const nlohmann::json rows = testing::goldenPrompts();
    ASSERT_GE(rows.size(), 80U);
    for (const nlohmann::json& row : rows)
        EXPECT_EQ(cleanPrompt(row.at("text").get<std::string>()), row.at("cleaned").get<std::string>());
}

TEST(PromptCleaning, HtmlIsUnescapedTwiceAfterTheRepairs) {
    // ftfy unescapes until nothing changes, unless there is a '<'; html.unescape then runs twice over the
    // rest.
    EXPECT_EQ(cleanPrompt("<i> &amp;amp;lt;"), "<i> &lt;");
    EXPECT_EQ(cleanPrompt("<i> &amp;amp;amp;lt;"), "<i> &amp;lt;");
    EXPECT_EQ(cleanPrompt("&amp;amp;amp;lt;"), "<");
}

TEST(PromptCleaning, AnyWhiteSpaceIsOneSpace) {
    EXPECT_EQ(cleanPrompt("\xE2\x80\x83 a\t\r\n\xC2\xA0\xE2\x81\x9F\xE3\x80\x80 b \x0C"), "a b");
    EXPECT_EQ(cleanPrompt(" \n "), "");
}

TEST(PromptCleaning, InvalidBytesDoNotGetThrough) {
    EXPECT_EQ(cleanPrompt("a cat \xFF walks"), "a cat \xEF\xBF\xBD walks");
    EXPECT_EQ(cleanPrompt("cut \xE7\x8C"), "cut \xEF\xBF\xBD");
}

}  // namespace
}  // namespace meshreel
