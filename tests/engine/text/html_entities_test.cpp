// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/prompt_cleaning.h"

#include <gtest/gtest.h>

#include "engine/text/unicode.h"

namespace meshreel {
namespace {

std::string unescaped(const char* text) {
    return toUtf8(unescapeHtml(fromUtf8(text)));
}
std::string unambiguous(const char* text) {
    return toUtf8(unescapeUnambiguousHtml(fromUtf8(text)));
}

TEST(HtmlEntities, NamesWithAndWithoutSemicolon) {
    EXPECT_EQ(unescaped("&lt;&LT&amp &eacute;&eacute"), "<<& éé");
    EXPECT_EQ(unescaped("&notit; &notin; &not"), "¬it; ∉ ¬");
    EXPECT_EQ(unescaped("&NotEqualTilde; &ThickSpace;"), "≂̸ \u205F\u200A");
    EXPECT_EQ(unescaped("&CounterClockwiseContourIntegral;"), "∳");
    EXPECT_EQ(unescaped("&hellip &unknown; && &; &"), "&hellip &unknown; && &; &");
}

TEST(HtmlEntities, NumbersFollowTheRulesOfHtml5) {
    EXPECT_EQ(unescaped("&#29483;&#x732B;&#X732b"), "猫猫猫");
    EXPECT_EQ(unescaped("&#128;&#x91;&#129;"), "€‘\u0081");
    EXPECT_EQ(unescaped("&#0;&#xD800;&#x110000;&#99999999999999999999;"), "\uFFFD\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(unescaped("[&#1;&#xB;&#x7F;&#xFDD0;&#x1FFFE;]"), "[]");
    EXPECT_EQ(unescaped("&#13;&#9;"), "\r\t");
    EXPECT_EQ(unescaped("&#; &#x; &#xg &#a"), "&#; &#x; &#xg &#a");
}

TEST(HtmlEntities, FtfyWantsTheSemicolon) {
    EXPECT_EQ(unambiguous("this&not that &amp &amp;"), "this&not that &amp &");
    EXPECT_EQ(unambiguous("&notit; &#233 &#233; &#59;"), "&notit; &#233 é &#59;");
}

TEST(HtmlEntities, FtfyReadsCapitals) {
    EXPECT_EQ(unambiguous("P&EACUTE;REZ STRA&SZLIG;E"), "PÉREZ STRASSE");
    EXPECT_EQ(unambiguous("&Eacute;&eACUTE;"), "É&eACUTE;");
    EXPECT_EQ(unambiguous("&GT; &AMPERE;"), "> &AMPERE;");
}

}  // namespace
}  // namespace meshreel
