// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/trigger_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Metadata = std::map<std::string, std::string>;

std::vector<std::string> statedIn(const Metadata& metadata) {
    std::vector<std::string> texts;
    for (const TriggerWord& word : triggerWords(metadata).stated)
        texts.push_back(word.text);
    return texts;
}

TEST(TriggerWords, APhraseIsTakenWhole) {
    EXPECT_THAT(statedIn({{"modelspec.trigger_phrase", "sks, a red ball"}}), ElementsAre("sks, a red ball"));
    EXPECT_THAT(statedIn({{"instance_prompt", " a photo of sks "}}), ElementsAre("a photo of sks"));
}

TEST(TriggerWords, WordsArePartedAndTakenOnce) {
    EXPECT_THAT(statedIn({{"trigger_words", "sks, ball,, sks"}}), ElementsAre("sks", "ball"));
    EXPECT_THAT(statedIn({{"trainedWords", R"(["sks", "a, b", 5, ["c"]])"}}), ElementsAre("sks", "a, b"));
    EXPECT_THAT(statedIn({{"trigger_word", "sks"}, {"modelspec.trigger_phrase", "sks"}}), ElementsAre("sks"));
    EXPECT_THAT(statedIn({{"trigger_word", "None"}, {"trigger_words", "[]"}}), IsEmpty());
}

TEST(TriggerWords, TagsOfAllFoldersAreAddedUp) {
    const TriggerWords words =
        triggerWords({{"ss_tag_frequency",
                       R"({"10_sks": {"ball": 3, "sks": 9, "rare": 0}, "5_more": {"ball": 8, "odd": "x"}})"},
                      {"ss_output_name", "red_ball_v2"}});
    EXPECT_THAT(words.stated, IsEmpty());
    EXPECT_THAT(words.frequent, ElementsAre(TriggerWord{.text = "ball", .count = 11},
                                            TriggerWord{.text = "sks", .count = 9}));
    EXPECT_EQ(words.trainedAs, "red_ball_v2");
}

TEST(TriggerWords, NothingIsSaidByOtherMetadata) {
    EXPECT_TRUE(triggerWords({{"format", "pt"}, {"title", "a ball"}}).empty());
    EXPECT_EQ(triggerWords({{"ss_output_name", "None"}}), TriggerWords());
}

TEST(TriggerWords, DamagedTextsCountAsNotThere) {
    for (const char* tags :
         {"", "{", "[]", "5", "null", R"({"a": {"b": 1}, "a": {"b": 2}})", R"({"a": [1, 2]})",
          R"({"a": {"b": -1, "c": 1.5, "d": {"e": 1}}})", "{\"a\": {\"\xFF\": 1}}"})
        EXPECT_THAT(triggerWords({{"ss_tag_frequency", tags}}).frequent, IsEmpty()) << tags;
    for (const char* list : {"[", "[\"a\"", "[1, 2]", "[[[\"a\"]]]"}) {
        const std::vector<std::string> words = statedIn({{"trainedWords", list}});
        EXPECT_LE(words.size(), 2U) << list;
    }
    const std::string deep(1'000'000, '[');
    EXPECT_THAT(triggerWords({{"ss_tag_frequency", "{\"a\":" + deep}}).frequent, IsEmpty());
    static_cast<void>(statedIn({{"trainedWords", deep}}));
}

TEST(TriggerWords, HugeTextsAreBounded) {
    std::string tags = R"({"all": {)";
    for (int tag = 0; tag < 50'000; ++tag)
        tags += (tag > 0 ? ", \"tag " : "\"tag ") + std::to_string(tag) + "\": " + std::to_string(tag + 1);
    tags += "}}";
    const TriggerWords words = triggerWords({{"ss_tag_frequency", tags}});
    ASSERT_THAT(words.frequent, SizeIs(24));
    EXPECT_EQ(words.frequent.front().text, "tag 49999");
    EXPECT_TRUE(triggerWords({{"ss_tag_frequency", std::string(5 << 20, ' ') + tags}}).empty());
    EXPECT_THAT(statedIn({{"trigger_word", std::string(300, 'a')}}), IsEmpty());
    std::string many;
    for (int word = 0; word < 1000; ++word)
        many += "w" + std::to_string(word) + ",";
    EXPECT_THAT(statedIn({{"trigger_words", many}}), SizeIs(24));
    EXPECT_THAT(triggerWords({{"ss_tag_frequency",
                               R"({"a": {"x": 18446744073709551615}, "b": {"x": 18446744073709551615}})"}})
                    .frequent,
                ElementsAre(TriggerWord{.text = "x", .count = 18446744073709551615U}));
}

TEST(TriggerWords, WordsAreOneLineWithoutControls) {
    EXPECT_THAT(statedIn({{"trigger_word", "red\n\x1b[31m ball\t"}}), ElementsAre("red [31m ball"));
    EXPECT_THAT(statedIn({{"trigger_word",
                           "a\xE2\x80\xAE"
                           "b\xE2\x80\x8B"}}),
                ElementsAre("ab"));
    EXPECT_THAT(statedIn({{"trigger_word", "\xFF\xFE"}}), IsEmpty());
}

TEST(TriggerWords, AreReadFromAFile) {
    const testing::TemporaryFolder folder;
    const std::string header =
        R"({"__metadata__": {"modelspec.trigger_phrase": "sks"}, "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})";
    writeFileAtomically(folder / "a.safetensors", testing::safetensorsBytes(header, "x"));
    EXPECT_THAT(readTriggerWords(folder / "a.safetensors").stated, ElementsAre(TriggerWord{.text = "sks"}));
    writeFileAtomically(folder / "b.safetensors", "no weights");
    EXPECT_THROW(readTriggerWords(folder / "b.safetensors"), Error);
}

}  // namespace
}  // namespace meshreel
