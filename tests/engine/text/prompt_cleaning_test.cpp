// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/text/prompt_cleaning.h"
#include "engine/text/unicode.h"
#include "golden_prompts.h"

namespace meshreel {
namespace {

struct Repair {
    const char* text;
    const char* fixed;
};

// Examples from the documentation and the tests of ftfy 6.3.1 (Robyn Speer, Apache-2.0), with what it gives.
const Repair repairs[] = {
    // clang-format off
    {"He's Justinâ\302\235¤",
     "He's Justin❤"},
    {"âœ” No problems",
     "✔ No problems"},
    {"РґРѕСЂРѕРіРµ Р\302\230Р·-РїРѕРґ #С„СѓС‚Р±РѕР»",
     "дороге Из-под #футбол"},
    {"Hi guys í\u00A0½í¸\302\215",
     "Hi guys 😍"},
    {"hihi RT username: â\302\230ºí\u00A0½í¸\302\230",
     "hihi RT username: ☺😘"},
    {"Beta Haber: HÄ±rsÄ±zÄ± BÃ¼yÃ¼ Korkuttu",
     "Beta Haber: Hırsızı Büyü Korkuttu"},
    {"RUF MICH ZURÃœCK",
     "RUF MICH ZURÜCK"},
    {"RÄ«ga",
     "Rīga"},
    {"Р\u00A0С—РЎР‚Р\u00A0С‘РЎРЏРЎвЂљР\u00A0Р…Р\u00A0С•РЎРѓРЎвЂљР\u00A0С‘. РІСњВ¤",
     "приятности. ❤"},
    {"Iggy Pop (nÃƒÂ© Jim Osterberg)",
     "Iggy Pop (né Jim Osterberg)"},
    {"Direzione Pd, ok â\302\200\302\234senza modifiche\302\224 all'Italicum.",
     "Direzione Pd, ok \"senza modifiche\" all'Italicum."},
    {"selamat berpuasa sob (Ã\u00A0Â¸â€¡'ÃŒâ‚¬Ã¢Å’Â£'ÃŒÂ\302\201)Ã\u00A0Â¸â€¡",
     "selamat berpuasa sob (ง'̀⌣'́)ง"},
    {"The Mona Lisa doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t have eyebrows.",
     "The Mona Lisa doesn't have eyebrows."},
    {"#╨┐╤Ç╨░╨▓╨╕╨╗╤î╨╜╨╛╨╡╨┐╨╕╤é╨░╨╜╨╕╨╡",
     "#правильноепитание"},
    {"LiĂ¨ge Avenue de l'HĂ´pital",
     "Liège Avenue de l'Hôpital"},
    {"Táº¡i sao giÃ¡ háº¡t sáº§u riÃªng láº¡i lÃªn giÃ¡?",
     "Tại sao giá hạt sầu riêng lại lên giá?"},
    {"MĂĄm dost tĹ\302\231etĂ\u00ADho tisĂ\u00ADciletĂ\u00AD",
     "Mám dost třetího tisíciletí"},
    {"vedere Ă®nceĹŁoĹźatÄ\302\203",
     "vedere înceţoşată"},
    {"hotel $49 $Ì¶6Ì¶3Ì¶ updated 2018",
     "hotel $49 $̶6̶3̶ updated 2018"},
    {"Ã¢â€\302\235â€™(Ã¢Å’Â£Ã‹â€ºÃ¢Å’Â£)Ã¢â€\302\235Å½",
     "┒(⌣˛⌣)┎"},
    {"Ã¢â€�â€™(Ã¢Å’Â£Ã‹â€ºÃ¢Å’Â£)Ã¢â€�Å½",
     "�(⌣˛⌣)�"},
    {"The ICR has been upgraded to â€œbb+â€? from â€œbbâ€?",
     "The ICR has been upgraded to \"bb+� from \"bb�"},
    {"ã†â€™ãƒâ€ ã¢â‚¬â„¢ãƒæ’ã‚â¢ãƒâ¢ã¢â‚¬å¡ã‚â¬ãƒâ€šã‚â",
     "ã†â€™ãƒâ€ ã¢â'¬â\"¢ãƒæ'ã'â¢ãƒâ¢ã¢â'¬å¡ã'â¬ãƒâ€šã'â"},
    {"wei√ü",
     "weiß"},
    {"ART TRIP Ã\u00A0 l'office de tourisme",
     "ART TRIP à l'office de tourisme"},
    {"This is signiп¬Ѓcantly lower than the respective share",
     "This is significantly lower than the respective share"},
    {"com especial atenÃ§Ã£o Ã s crianÃ§as",
     "com especial atenção às crianças"},
    {"Blog Traffic Tip 2 вЂ“ Broadcast Email Your Blog",
     "Blog Traffic Tip 2 – Broadcast Email Your Blog"},
    {"10Î&frac14;s",
     "10μs"},
    {"Å veices baÅ†Ä·ieri gaida konkrÄ“tus investÄ«ciju projektus",
     "Šveices baņķieri gaida konkrētus investīciju projektus"},
    {"Å iaip ÄÆdomu, kaip ÄÆsivaizduoji. VisÅ³ pirma tam reikia laiko.",
     "Šiaip įdomu, kaip įsivaizduoji. Visų pirma tam reikia laiko."},
    {"×‘×”×•×“×¢×”",
     "בהודעה"},
    {"Ningboï¼ŒChina",
     "Ningbo,China"},
    {"voilÃ  le travail",
     "voilà le travail"},
    {"voilÃ le travail",
     "voilà le travail"},
    {"◊ë◊î◊ï◊ì◊¢◊î",
     "בהודעה"},
    {"Ř±ŘłŘ§Ů„Ř©",
     "رسالة"},
    {"I'm not such a fan of Charlotte Brontë…”",
     "I'm not such a fan of Charlotte Brontë…\""},
    {"These control characters \032 are apparently intentional \302\201",
     "These control characters  are apparently intentional \302\201"},
    {"a radius of 10 Å—",
     "a radius of 10 Å—"},
    {"â\302\200\302\234mismatched quotes\302\205\302\224",
     "\"mismatched quotes…\""},
    {"â€œlossy decodingâ€�",
     "\"lossy decoding�"},
    {"NICIODATĂ™",
     "NICIODATĂ™"},
    {"Ō¬o",
     "Ō¬o"},
    {"ПоздравЂаво",
     "ПоздравЂаво"},
    {"Η ¨ανατροφή¨ δυστυχώς από τους προπονητές",
     "Η ¨ανατροφή¨ δυστυχώς από τους προπονητές"},
    {"4288×…",
     "4288×…"},
    {"( o¬ô )",
     "( o¬ô )"},
    {"Offering 5×£35 pin ups",
     "Offering 5×£35 pin ups"},
    {"Connect with Āø on Facebook",
     "Connect with Āø on Facebook"},
    {"├┤a┼┐a┼┐a┼┐a┼┐a",
     "├┤a┼┐a┼┐a┼┐a┼┐a"},
    {"∆°",
     "∆°"},
    {"&macr;\\_(ã\302\203\302\204)_/&macr;",
     "¯\\_(ツ)_/¯"},
    {"Broken text&hellip; it&#x2019;s ﬂubberiﬁc!",
     "Broken text… it's flubberific!"},
    {"ＬＯＵＤ\u3000ＮＯＩＳＥＳ",
     "LOUD NOISES"},
    {"P&EACUTE;REZ",
     "PÉREZ"},
    {"BUNDESSTRA&SZLIG;E",
     "BUNDESSTRASSE"},
    {"&ntilde; &Ntilde; &NTILDE; &nTILDE;",
     "ñ Ñ Ñ &nTILDE;"},
    {"&lt;tag&gt;",
     "<tag>"},
    {"<b> &eacute; stays",
     "<b> &eacute; stays"},
    {"<b>\n&eacute; too, on the next line",
     "<b>\n&eacute; too, on the next line"},
    {"&eacute;\n<b> but not on the line before",
     "é\n<b> but not on the line before"},
    {"\033[36;44mI'm blue, da ba dee\033[0m",
     "I'm blue, da ba dee"},
    {"ﬂuﬃeﬆ",
     "fluffiest"},
    {"Ｕﾀｰﾝ",
     "Uターン"},
    {"Content-type: text/plain\r\n\r\nHi.",
     "Content-type: text/plain\n\nHi."},
    {"a\rb\u2028c\u2029d\302\205e",
     "a\nb\nc\nd…e"},
    {"ʼn’‛‟ straight",
     "'n''\" straight"},
    {"\uFEFFWhere do you want to go today?",
     "Where do you want to go today?"},
    {"re\u206Amove￼ these\007",
     "remove these"},
    {"é composed",
     "é composed"},
    {"â€™",
     "'"},
    {"Ã ",
     "à "},
    {"voilÃ\u00A0",
     "voilà"},
    {"ﬃne ǆ",
     "ffine dž"},
    {"&#38;lt; &#59;",
     "< &#59;"},
    // clang-format on
};

TEST(FixText, GivesWhatFtfyGives) {
    for (const Repair& repair : repairs)
        EXPECT_EQ(toUtf8(fixText(fromUtf8(repair.text))), repair.fixed) << repair.text;
}

TEST(FixText, NothingIsLeftToRepairAfterwards) {
    for (const Repair& repair : repairs) {
        const std::u32string once = fixText(fromUtf8(repair.text));
        EXPECT_EQ(toUtf8(fixText(once)), toUtf8(once)) << repair.text;
    }
}

TEST(FixText, LongTextsAreRepairedInSegments) {
    const std::u32string filler(1'100'000, U'x');
    EXPECT_EQ(fixText(filler + U" &amp;"), filler + U" &");
}

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
