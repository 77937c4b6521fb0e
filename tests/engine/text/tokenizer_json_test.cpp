// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Pieces: 0 <pad>, 1 </s>, 2 <unk>, 3 ▁, 4 a, 5 b, 6 ▁a, 7 ab, 8 [x] (an added token).
json smallTokenizer() {
    return json::parse(R"({
        "added_tokens": [{"id": 1, "content": "</s>", "special": true, "normalized": false},
                         {"id": 8, "content": "[x]", "normalized": false}],
        "normalizer": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
        "model": {"type": "Unigram", "unk_id": 2,
            "vocab": [["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -2], ["a", -1], ["b", -1], ["▁a", -2.5],
                      ["ab", -3]]}})");
}

std::shared_ptr<const TextEncoder> open(const json& object) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "tokenizer.json", object.dump());
    return openTokenizerJson(folder / "tokenizer.json");
}

json changed(const std::function<void(json&)>& change) {
    json object = smallTokenizer();
    change(object);
    return object;
}

TEST(TokenizerJson, TheBestPathWins) {
    // ▁a (-2.5) beats ▁ a (-3); then b (-1): -3.5 beats ▁ ab (-5).
    EXPECT_THAT(open(smallTokenizer())->encode("ab"), ElementsAre(6, 5));
}

TEST(TokenizerJson, UnknownRunsAreOneToken) {
    EXPECT_THAT(open(smallTokenizer())->encode("azzyb c"), ElementsAre(6, 2, 5, 3, 2));
}

TEST(TokenizerJson, BytesOnlyWhereEveryByteHasAPiece) {
    const json object = changed([](json& o) {
        o["model"]["byte_fallback"] = true;
        o["model"]["vocab"].push_back({"<0x7A>", 0});
    });
    EXPECT_THAT(open(object)->encode("az"), ElementsAre(6, 8));
    EXPECT_THAT(open(object)->encode("ay"), ElementsAre(6, 2));
}

TEST(TokenizerJson, AddedTokensAreCutOutFirst) {
    EXPECT_THAT(open(smallTokenizer())->encode("a[x]b</s>"), ElementsAre(6, 8, 3, 5, 1));
    const json greedy = changed([](json& o) {
        o["added_tokens"][1]["lstrip"] = true;
        o["added_tokens"][1]["rstrip"] = true;
    });
    EXPECT_THAT(open(greedy)->encode("a [x]  b"), ElementsAre(6, 8, 3, 5));
    const json word = changed([](json& o) { o["added_tokens"][1]["single_word"] = true; });
    EXPECT_THAT(open(word)->encode("[x] a[x]"), ElementsAre(8, 6, 2));
    const json prefix = changed([](json& o) {
        o["added_tokens"].push_back({{"id", 9}, {"content", "[x]a"}, {"normalized", false}});
    });
    EXPECT_THAT(open(prefix)->encode("[x]a[x]"), ElementsAre(9, 8));
}

TEST(TokenizerJson, NormalizedTokensAreSoughtInNormalizedText) {
    const json object = changed([](json& o) {
        o["normalizer"] = json::parse(R"({"type": "Sequence", "normalizers": [{"type": "NFKC"},
            {"type": "Replace", "pattern": {"Regex": "[(]+"}, "content": "$1["}]})");
        o["added_tokens"][1]["normalized"] = true;
    });
    EXPECT_THAT(open(object)->encode("[x]"), ElementsAre(8));
    EXPECT_THAT(open(object)->encode("［x］"), ElementsAre(8));
    EXPECT_THAT(open(object)->encode("((b"), ElementsAre(3, 2, 5));
}

TEST(TokenizerJson, MetaspaceSchemes) {
    const auto scheme = [](const char* name) {
        return open(changed([name](json& o) { o["pre_tokenizer"]["prepend_scheme"] = name; }));
    };
    EXPECT_THAT(scheme("always")->encode("b[x]b"), ElementsAre(3, 5, 8, 3, 5));
    EXPECT_THAT(scheme("first")->encode("b[x]b"), ElementsAre(3, 5, 8, 5));
    EXPECT_THAT(scheme("never")->encode("b[x]b"), ElementsAre(5, 8, 5));
    EXPECT_THAT(scheme("always")->encode("▁b"), ElementsAre(3, 5));
}

TEST(TokenizerJson, ThePostProcessorFramesTheText) {
    EXPECT_THAT(open(smallTokenizer())->frame().after, ElementsAre(1));
    const json both = changed([](json& o) {
        auto& single = o["post_processor"]["single"];
        single.insert(single.begin(), single[1]);
    });
    EXPECT_THAT(open(both)->frame().before, ElementsAre(1));
    EXPECT_TRUE(open(changed([](json& o) { o["post_processor"] = nullptr; }))->frame().after.empty());
}

struct Refusal {
    const char* path;
    json value;
    const char* sentence;
};

TEST(TokenizerJson, UnknownPartsAreRefused) {
    const Refusal refusals[] = {
        {"/model/type", "BPE", "model 'BPE' is not supported"},
        {"/model/unk_id", 99, "unk_id 99 is none of the 8"},
        {"/normalizer", {{"type", "Lowercase"}}, "normalizer 'Lowercase'"},
        {"/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "!"}}, "not base64"},
        {"/normalizer",
         {{"type", "Precompiled"}, {"precompiled_charsmap", "////"}},
         "character map is damaged"},
        {"/normalizer", json::parse(R"({"type":"Replace","pattern":{"Regex":"("},"content":""})"),
         "pattern '('"},
        {"/pre_tokenizer", {{"type", "ByteLevel"}}, "pre-tokenizer 'ByteLevel'"},
        {"/pre_tokenizer/prepend_scheme", "last", "prepend_scheme 'last'"},
        {"/post_processor/type", "BertProcessing", "post-processor 'BertProcessing'"},
        {"/model/vocab/0/0", "<nopad>", "pad token '<pad>'"},
        {"/model/vocab/0", 5, "not laid out as a tokenizer"},
    };
    for (const Refusal& refusal : refusals) {
        try {
            static_cast<void>(
                open(changed([&](json& o) { o[json::json_pointer(refusal.path)] = refusal.value; })));
            ADD_FAILURE() << refusal.sentence;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), HasSubstr(refusal.sentence));
        }
    }
}

}  // namespace
}  // namespace meshreel
