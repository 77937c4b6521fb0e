// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "golden_prompts.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

using Ids = std::vector<std::int64_t>;
constexpr std::int64_t modelLength = 512;

/// A folder with SentencePiece's model alone.
class SentencePieceFolder {
  public:
    SentencePieceFolder() {
        fs::copy(testing::goldenTokenizer() / "spiece.model", m_folder / "spiece.model");
    }
    [[nodiscard]] const fs::path& path() const { return m_folder.path(); }

  private:
    testing::TemporaryFolder m_folder;
};

/// Every golden row against the ids under `column` (or else `fallback`).
void expectGolden(const Tokenizer& tokenizer, const char* column, const char* fallback) {
    for (const nlohmann::json& row : testing::goldenPrompts()) {
        const auto text = row.at("cleaned").get<std::string>();
        const auto expected = row.at(row.contains(column) ? column : fallback).get<Ids>();
        const Tokenizer::Encoded encoded = tokenizer.encode(text, modelLength);
        ASSERT_EQ(encoded.length, std::ssize(expected)) << text;
        EXPECT_EQ(Ids(encoded.ids.begin(), encoded.ids.begin() + encoded.length), expected) << text;
        EXPECT_THAT(std::span(encoded.ids).subspan(expected.size()), Each(0)) << text;
        EXPECT_EQ(std::accumulate(encoded.mask.begin(), encoded.mask.end(), std::int64_t{0}), encoded.length);
        EXPECT_TRUE(std::is_sorted(encoded.mask.rbegin(), encoded.mask.rend()));
    }
}

TEST(Tokenizer, TokenizerJsonGivesTheFastIds) {
    expectGolden(Tokenizer::open(testing::goldenTokenizer()), "ids_fast", "ids_fast");
}

TEST(Tokenizer, ByteFallbackIsAPropertyOfTheFile) {
    const testing::TemporaryFolder folder;
    auto object = nlohmann::json::parse(std::ifstream(testing::goldenTokenizer() / "tokenizer.json"));
    object["model"]["byte_fallback"] = true;
    writeFileAtomically(folder / "tokenizer.json", object.dump());
    expectGolden(Tokenizer::open(folder.path()), "ids_fast_byte_fallback", "ids_fast");
}

TEST(Tokenizer, ItsTokensAreCountedInEitherFile) {
    const auto object = nlohmann::json::parse(std::ifstream(testing::goldenTokenizer() / "tokenizer.json"));
    const std::int64_t all = std::ssize(object.at("model").at("vocab"));
    EXPECT_EQ(Tokenizer::countTokens(testing::goldenTokenizer()).tokens, all);
    const SentencePieceFolder pieces;
    const TokenCount counted = Tokenizer::countTokens(pieces.path());
    EXPECT_LT(counted.tokens, all) << "transformers adds sentinels";
    EXPECT_TRUE(counted.mayLackSentinels);
    EXPECT_TRUE(counted.fits(all));

    const testing::TemporaryFolder folder;
    EXPECT_THROW(static_cast<void>(Tokenizer::countTokens(folder.path())), Error);
    writeFileAtomically(folder / "tokenizer.json",
                        std::string_view(R"({"added_tokens": [{"id": 9, "content": "</s>"}],
                                             "model": {"vocab": {"a": 0, "b": 1}}})"));
    EXPECT_EQ(Tokenizer::countTokens(folder.path()).tokens, 10) << "added tokens have ids behind the model's";
    writeFileAtomically(folder / "tokenizer.json",
                        std::string_view(R"({"model": {"vocab": [["a", 0], ["b", 0])"));
    EXPECT_THROW(static_cast<void>(Tokenizer::countTokens(folder.path())), Error);
    fs::remove(folder / "tokenizer.json");
    const std::string whole = readFile(pieces.path() / "spiece.model");
    writeFileAtomically(folder / "spiece.model", std::string_view(whole).substr(0, whole.size() / 2));
    EXPECT_THROW(static_cast<void>(Tokenizer::countTokens(folder.path())), Error);
}

TEST(Tokenizer, FitsTheTableThatWasFilledUp) {
    EXPECT_TRUE((TokenCount{256300, false}.fits(256384))) << "UMT5";
    EXPECT_TRUE((TokenCount{256000, true}.fits(256384))) << "UMT5 without its sentinels";
    EXPECT_TRUE((TokenCount{1400, false}.fits(1400)));
    EXPECT_FALSE((TokenCount{32100, false}.fits(256384))) << "T5";
    EXPECT_FALSE((TokenCount{250000, true}.fits(256384))) << "mT5";
    EXPECT_FALSE((TokenCount{1401, false}.fits(1400)));
    EXPECT_FALSE((TokenCount{300, true}.fits(1400)));
    EXPECT_FALSE((TokenCount{1100, false}.fits(1400)));
}

TEST(Tokenizer, SentencePieceIsUsedWithoutTokenizerJson) {
    const SentencePieceFolder folder;
    const Tokenizer tokenizer = Tokenizer::open(folder.path());
    expectGolden(tokenizer, "ids_sp", "ids_sp");
    for (const nlohmann::json& row : testing::goldenPrompts())
        EXPECT_EQ(tokenizer.ids(row.at("cleaned").get<std::string>()).size(),
                  row.at("n_full").get<std::size_t>());
}

TEST(Tokenizer, TruncationKeepsTheEnd) {
    const SentencePieceFolder folder;
    for (const Tokenizer& tokenizer :
         {Tokenizer::open(testing::goldenTokenizer()), Tokenizer::open(folder.path())}) {
        const Ids full = tokenizer.ids("A cat walks on the grass, realistic");
        ASSERT_GT(full.size(), 6U);
        const Tokenizer::Encoded encoded = tokenizer.encode("A cat walks on the grass, realistic", 6);
        EXPECT_TRUE(encoded.truncated);
        EXPECT_EQ(encoded.length, 6);
        EXPECT_TRUE(std::equal(encoded.ids.begin(), encoded.ids.begin() + 5, full.begin()));
        EXPECT_EQ(encoded.ids.back(), full.back());
        const Tokenizer::Encoded fitting =
            tokenizer.encode("A cat walks on the grass, realistic", std::ssize(full));
        EXPECT_FALSE(fitting.truncated);
        EXPECT_EQ(fitting.ids, full);
    }
}

TEST(Tokenizer, TheShortestSequenceIsTheEnd) {
    const Tokenizer tokenizer = Tokenizer::open(testing::goldenTokenizer());
    EXPECT_THAT(tokenizer.encode("cat", 1).ids, ElementsAre(1));
    EXPECT_THAT(tokenizer.encode("", 3).ids, ElementsAre(1, 0, 0));
    EXPECT_THAT(tokenizer.encode("", 3).mask, ElementsAre(1, 0, 0));
    EXPECT_THROW(static_cast<void>(tokenizer.encode("cat", 0)), Error);
}

TEST(Tokenizer, ACutIsFoundAtTheFirstWordThatIsNotUsed) {
    const SentencePieceFolder folder;
    for (const Tokenizer& tokenizer :
         {Tokenizer::open(testing::goldenTokenizer()), Tokenizer::open(folder.path())}) {
        const std::string used = "a red ball rolls";
        const std::string text = used + " over green grass and on";
        const std::int64_t room = std::ssize(tokenizer.ids(used));
        EXPECT_FALSE(tokenizer.findCut(used, room).has_value());
        const auto cut = tokenizer.findCut(text, room);
        ASSERT_TRUE(cut.has_value());
        EXPECT_EQ(cut->tokens, std::ssize(tokenizer.ids(text)));
        EXPECT_EQ(cut->leftOut, "over green grass and on");
        const auto begun = tokenizer.findCut(text, std::ssize(tokenizer.ids(used + " over")) - 1);
        ASSERT_TRUE(begun.has_value());
        EXPECT_THAT(begun->leftOut, ::testing::StartsWith("over"))
            << "a word that is used in part is left out";
    }
}

TEST(Tokenizer, ACutOfALongTextShowsAFewWords) {
    const Tokenizer tokenizer = Tokenizer::open(testing::goldenTokenizer());
    std::string text;
    for (int word = 0; word < 2000; ++word)
        text += "ball" + std::to_string(word) + " ";
    const auto cut = tokenizer.findCut(text, modelLength);
    ASSERT_TRUE(cut.has_value());
    EXPECT_GT(cut->tokens, 2000);
    EXPECT_LT(cut->leftOut.size(), 48U);
    const std::size_t place = text.find(cut->leftOut.substr(0, cut->leftOut.find(' ') + 1));
    EXPECT_LE(std::ssize(tokenizer.ids(text.substr(0, place))), modelLength);
    EXPECT_GT(std::ssize(tokenizer.ids(text.substr(0, text.find(' ', place)))), modelLength);
    std::string unspaced;
    for (int i = 0; i < 2000; ++i)
        unspaced += "zq";
    const auto inside = tokenizer.findCut(unspaced, modelLength);
    ASSERT_TRUE(inside.has_value());
    EXPECT_THAT(inside->leftOut, HasSubstr("zq"));
}

TEST(Tokenizer, MissingAndDamagedFilesAreExplained) {
    const testing::TemporaryFolder folder;
    const auto refused = [&folder] {
        return testing::refusalOf(ErrorKind::Input,
                                  [&folder] { static_cast<void>(Tokenizer::open(folder.path())); });
    };
    const testing::Refusal missing = refused();
    EXPECT_THAT(missing.problem.text(), AllOf(HasSubstr("tokenizer.json"), HasSubstr("spiece.model")));
    writeFileAtomically(folder / "spiece.model", "not a protobuf");
    const testing::Refusal text = refused();
    EXPECT_THAT(text, testing::At(EndsWith("spiece.model")));
    std::string pieces = readFile(testing::goldenTokenizer() / "spiece.model");
    const std::size_t piece = pieces.rfind("\xe2\x96\x81");  // the mark where a word begins
    ASSERT_NE(piece, std::string::npos);
    pieces[piece] = '\0';
    writeFileAtomically(folder / "spiece.model", pieces);
    const testing::Refusal damaged = refused();
    writeFileAtomically(folder / "tokenizer.json", "{}");
    const testing::Refusal empty = refused();
    EXPECT_THAT(empty, testing::At(EndsWith("tokenizer.json")));
    testing::expectFaults(
        {{"no file", missing}, {"no model", text}, {"no model", damaged}, {"no layout", empty}});
}

}  // namespace
}  // namespace meshreel
