// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/wildcards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/sampling/noise.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A project's folder of wildcards, and the user's own, which is empty.
class Wildcards : public ::testing::Test {
  protected:
    Wildcards() {
        setenv("XDG_DATA_HOME", (m_folder / "data").c_str(), 1);
        fs::create_directories(m_folder / "words");
    }
    ~Wildcards() override { unsetenv("XDG_DATA_HOME"); }

    void write(const std::string& name, const std::string& text) const {
        const fs::path file = m_folder / "words" / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    static void writeForUser(const std::string& name, const std::string& text) {
        fs::create_directories(userWildcardFolder());
        std::ofstream(userWildcardFolder() / name) << text;
    }

    [[nodiscard]] Project projectOf(const std::string& prompt, std::uint64_t seed = 7) const {
        Project project;
        project.prompt = prompt;
        project.seed = seed;
        project.wildcards = (m_folder / "words").string();
        return project;
    }

    [[nodiscard]] std::string drawn(const std::string& prompt, std::uint64_t seed = 7) const {
        return withDrawnWords(projectOf(prompt, seed)).prompt;
    }

    /// "wildcard-missing prompt" of each problem.
    [[nodiscard]] std::vector<std::string> faultsOf(const Project& project) const {
        const DrawnWords words = drawWords(project);
        std::vector<std::string> faults;
        for (const Problem& problem : words.problems) {
            EXPECT_EQ(problem.severity, Severity::Error);
            EXPECT_FALSE(problem.hint().empty()) << problem.text();
            faults.push_back(std::string(problem.id.name()) + " " + problem.key);
        }
        EXPECT_EQ(words.problems.empty() ? words.project.wildcards.empty() : words.project == project, true);
        return faults;
    }

    [[nodiscard]] const testing::TemporaryFolder& folder() const { return m_folder; }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(Wildcards, FilesAreReadAsAnySystemWritesThem) {
    write("mac.txt", "red\rred\r");
    write("windows.txt", "\xEF\xBB\xBFred\r\nred\r\n");
    EXPECT_EQ(drawn("a __mac__ ball"), "a red ball");
    EXPECT_EQ(drawn("a __windows__ ball"), "a red ball");
    write("fa\u0301rbe.txt", "blue\n");
    EXPECT_EQ(drawn("a __f\u00E1rbe__ ball"), "a blue ball") << "as macOS names files in archives";
}

TEST_F(Wildcards, AWildcardIsALineOfItsFile) {
    write("colour.txt", "# of balls\n\n  red \r\nblue\n");
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 32; ++seed)
        seen.insert(drawn("a __colour__ ball", seed));
    EXPECT_THAT(seen, ElementsAre("a blue ball", "a red ball"));
}

TEST_F(Wildcards, TheSeedDecides) {
    write("number.txt", "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    const std::string prompt = "__number__ __number__ __number__ __number__";
    EXPECT_EQ(drawn(prompt, 5), drawn(prompt, 5));
    EXPECT_NE(drawn(prompt, 5), drawn(prompt, 6));
    EXPECT_NE(drawn(prompt, 5), drawn(prompt, 5 + (std::uint64_t{1} << 32)));
}

TEST_F(Wildcards, DrawsAreThoseOfTheHeader) {
    write("number.txt", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    constexpr std::uint64_t seed = 0x123456789ABCDEF0;
    std::string expected;
    for (std::uint32_t draw = 0; draw < 4; ++draw) {
        const auto lanes = philox4x32({draw, 0, 0x776F7264, 0}, {static_cast<std::uint32_t>(seed),
                                                                 static_cast<std::uint32_t>(seed >> 32)});
        const std::uint64_t bits = (static_cast<std::uint64_t>(lanes[0]) << 32) | lanes[1];
        expected +=
            std::to_string(static_cast<int>(static_cast<double>(bits >> 11) / 9007199254740992.0 * 10));
    }
    EXPECT_EQ(drawn("__number____number____number____number__", seed), expected);
}

TEST_F(Wildcards, WeightsSayHowOftenALineIsDrawn) {
    write("weather.txt", "3::sun\nrain\n0::hail\n");
    std::map<std::string, int> counts;
    constexpr int draws = 1000;
    for (std::uint64_t seed = 0; seed < draws; ++seed)
        ++counts[drawn("__weather__", seed)];
    EXPECT_NEAR(counts["sun"], draws * 0.75, draws * 0.06);
    EXPECT_NEAR(counts["rain"], draws * 0.25, draws * 0.06);
    EXPECT_THAT(counts, SizeIs(2));
}

TEST_F(Wildcards, LinesMayHoldWildcardsAndAlternatives) {
    write("animals/dog.txt", "a {big|{tiny|small}} __colour__ dog\n");
    write("colour.txt", "grey\n");
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 64; ++seed)
        seen.insert(drawn("__animals/dog__ runs", seed));
    EXPECT_THAT(seen, ElementsAre("a big grey dog runs", "a small grey dog runs", "a tiny grey dog runs"));
}

TEST_F(Wildcards, AlternativesOfThePromptStayForTheGrid) {
    write("colour.txt", "red\n");
    EXPECT_EQ(drawn("a {big|small} __colour__ ball"), "a {big|small} red ball");
}

TEST_F(Wildcards, OtherUnderlinesAreWords) {
    for (const char* prompt : {"a_b", "__", "____", "a __ b __ c", "__two words__", "__../secret__",
                               "__/etc/passwd__", "__.hidden__", "__a/../../b__", "__a//b__"}) {
        EXPECT_FALSE(namesWildcards(projectOf(prompt))) << prompt;
        EXPECT_EQ(drawn(prompt), prompt);
    }
}

TEST_F(Wildcards, NegativePromptAndEveryPromptOfABatchDrawForThemselves) {
    write("number.txt", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    Project project = projectOf("plain");
    project.negativePrompt = "__number__ __number__ __number__ __number__ __number__ __number__";
    project.batchPrompts = project.negativePrompt + "\n" + project.negativePrompt;
    const Project words = withDrawnWords(project);
    EXPECT_EQ(words.prompt, "plain");
    const std::string first = words.batchPrompts.substr(0, words.batchPrompts.find('\n'));
    const std::string second = words.batchPrompts.substr(words.batchPrompts.find('\n') + 1);
    EXPECT_NE(first, second);
    EXPECT_NE(first, words.negativePrompt);
    EXPECT_NE(second, words.negativePrompt);
    EXPECT_FALSE(namesWildcards(words));
}

TEST_F(Wildcards, TheProjectsFolderComesBeforeTheUsers) {
    writeForUser("colour.txt", "red\n");
    EXPECT_EQ(drawn("__colour__"), "red");
    write("colour.txt", "blue\n");
    EXPECT_EQ(drawn("__colour__"), "blue");
    EXPECT_THAT(wildcardNames(projectOf("")), ElementsAre("colour"));
}

TEST_F(Wildcards, AMissingFileIsAProblemOfItsPromptWithTheNearestName) {
    write("colour.txt", "red\n");
    EXPECT_THAT(faultsOf(projectOf("a __colours__ ball")), ElementsAre("wildcard-missing prompt"));
    const Problem near = drawWords(projectOf("a __colours__ __colour__ ball")).problems.front();
    ASSERT_THAT(near.fixes, SizeIs(1));
    EXPECT_THAT(near.fixes.front().changes,
                ElementsAre(KeyChange{.key = "prompt", .value = "a __colour__ __colour__ ball"}));
    const Problem far = drawWords(projectOf("a __zebra__")).problems.front();
    EXPECT_THAT(far.fixes.front().changes, IsEmpty());
    EXPECT_THAT(far.message.text(), HasSubstr("zebra.txt"));

    Project negative = projectOf("a ball");
    negative.negativePrompt = "__zebra__";
    EXPECT_THAT(faultsOf(negative), ElementsAre("wildcard-missing negative_prompt"));
    Project batch = projectOf("");
    batch.batchPrompts = "a\n__zebra__";
    EXPECT_THAT(faultsOf(batch), ElementsAre("wildcard-missing batch_prompts"));
}

TEST_F(Wildcards, AFileThatALineNamesIsMissedWhateverIsDrawn) {
    write("animal.txt", "cat\ncat\ncat\n0::__zebra__\n");
    EXPECT_THAT(faultsOf(projectOf("__animal__")), ElementsAre("wildcard-missing prompt"));
}

TEST_F(Wildcards, FilesThatCannotBeDrawnFromAreRefused) {
    write("empty.txt", "# nothing\n\n");
    write("never.txt", "0::a\n");
    write("latin.txt", "caf\xE9\n");
    write("long.txt", std::string(9000, 'a') + "\n");
    write("ring.txt", "x\n__round__\n");
    write("round.txt", "__ring__\n");
    for (const char* name : {"empty", "never", "latin", "long", "ring"})
        EXPECT_THAT(faultsOf(projectOf("__" + std::string(name) + "__")),
                    ElementsAre("wildcard-unusable prompt"))
            << name;
}

TEST_F(Wildcards, ALinkInTheProjectsFolderLeadsNowhere) {
    std::ofstream(folder() / "secret.txt") << "a key\n";
    fs::create_symlink(folder() / "secret.txt", folder() / "words" / "secret.txt");
    EXPECT_THAT(faultsOf(projectOf("__secret__")), ElementsAre("wildcard-unusable prompt"));
    EXPECT_THAT(wildcardNames(projectOf("")), IsEmpty());
    fs::create_directories(userWildcardFolder());
    fs::create_symlink(folder() / "secret.txt", userWildcardFolder() / "mine.txt");
    EXPECT_EQ(drawn("__mine__"), "a key");
}

TEST_F(Wildcards, WordsThatGrowWithoutEndAreRefused) {
    write("w0.txt", std::string(4000, 'a') + "\n");
    for (int level = 1; level < 20; ++level)
        write("w" + std::to_string(level) + ".txt",
              "__w" + std::to_string(level - 1) + "__ __w" + std::to_string(level - 1) + "__\n");
    EXPECT_THAT(faultsOf(projectOf("__w19__")), ElementsAre("wildcard-unusable prompt"));
}

TEST_F(Wildcards, WhatAlternativesNameIsCheckedWhenItIsDrawn) {
    write("coat.txt", "a __{summer|summer}_coat__\n");
    EXPECT_THAT(faultsOf(projectOf("__coat__")), ElementsAre("wildcard-missing prompt"));
    write("summer_coat.txt", "linen coat\n");
    EXPECT_EQ(drawn("__coat__"), "a linen coat");
    write("loop.txt", "__{loop|loop}__\n");
    EXPECT_THAT(faultsOf(projectOf("__loop__")), ElementsAre("wildcard-unusable prompt"));
}

TEST_F(Wildcards, APromptThatABatchLeavesAsideIsLeftAlone) {
    write("colour.txt", "red\n");
    Project project = projectOf("__nothing__");
    project.batchPrompts = "a __colour__ ball\na cube";
    EXPECT_THAT(faultsOf(project), IsEmpty());
    const Project made = withDrawnWords(project);
    EXPECT_EQ(made.batchPrompts, "a red ball\na cube");
    EXPECT_EQ(made.prompt, "__nothing__");
    EXPECT_FALSE(namesWildcards(made));
}

TEST_F(Wildcards, ManyUnclosedBracesTakeNoTime) {
    write("braces.txt", std::string(8000, '{') + "a|b}\n");
    EXPECT_THAT(faultsOf(projectOf("__braces__")), IsEmpty());
}

}  // namespace
}  // namespace meshreel
