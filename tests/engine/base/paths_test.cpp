// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

class Paths : public ::testing::Test {
  protected:
    void SetUp() override { ::setenv("HOME", "/home/ann", 1); }
};

TEST_F(Paths, HomeBecomesATilde) {
    EXPECT_EQ(withTilde("/home/ann/films/a.yaml"), "~/films/a.yaml");
    EXPECT_EQ(withTilde("/home/ann"), "~");
    EXPECT_EQ(withTilde("/home/anna/a"), "/home/anna/a");
    EXPECT_EQ(withTilde("relative/a"), "relative/a");
}

TEST_F(Paths, TildeExpandsBack) {
    EXPECT_EQ(expandTilde("~/films/a.yaml"), "/home/ann/films/a.yaml");
    EXPECT_EQ(expandTilde("~"), "/home/ann");
    EXPECT_EQ(expandTilde("/x/~/y"), "/x/~/y");
}

TEST(FileNames, KeepLettersOfAllScripts) {
    EXPECT_EQ(fileNameFrom("红球向右"), "红球向右");
    EXPECT_EQ(fileNameFrom("Grüner Ball, 2.0"), "Grüner-Ball--2.0");
    EXPECT_EQ(fileNameFrom("зелёный шар"), "зелёный-шар");
    EXPECT_EQ(fileNameFrom("می\u200cخواهم"), "می\u200cخواهم");  // joined as Persian is written
}

TEST(FileNames, DropWhatFileSystemsForbidAndWhatHides) {
    EXPECT_EQ(fileNameFrom("a/b\\c:d*e?f\"g<h>i|j\nk"), "a-b-c-d-e-f-g-h-i-j-k");
    EXPECT_EQ(fileNameFrom("../../etc/passwd"), "-..-etc-passwd");
    EXPECT_EQ(fileNameFrom("..."), "");
    EXPECT_EQ(fileNameFrom("\u202egpj.exe\u200b\ufeff"), "-gpj.exe--");
    EXPECT_EQ(fileNameFrom("a\xff\xfe"), "a--");
}

TEST(FileNames, AreCutBetweenCharacters) {
    const std::string family = "👩\u200D👩\u200D👧";
    EXPECT_EQ(fileNameFrom(family + family, family.size() + 5), family) << "no half of a family";
    EXPECT_EQ(fileNameFrom("cafe\u0301", 5), "caf") << "no letter without its accent";
    EXPECT_EQ(fileNameFrom("🇩🇪🇫🇷", 12), "🇩🇪") << "no half of a flag";
    EXPECT_EQ(fileNameFrom("红球", 4), "红");
    EXPECT_EQ(fileNameFrom(std::string(300, 'x')).size(), 160U);
    EXPECT_EQ(fileNameFrom("球球球", 8), "球球");
    EXPECT_EQ(fileNameFrom("球", 2), "");
}

TEST(FreePath, IsTheFirstNumberThatNothingHas) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path base = folder / "queue.v1";
    EXPECT_EQ(freePath(base, ".json"), folder / "queue.v1.json");
    std::ofstream(folder / "queue.v1.json") << "1";
    EXPECT_EQ(freePath(base, ".json"), folder / "queue.v1-2.json");
    std::filesystem::create_symlink("nowhere", folder / "queue.v1-2.json");
    EXPECT_EQ(freePath(base, ".json"), folder / "queue.v1-3.json");
    EXPECT_EQ(freePath(base), base);
}

TEST_F(Paths, ResourcesOfABuildTreeAreTheSourceTrees) {
    ::unsetenv("MESHREEL_RESOURCES");
    EXPECT_TRUE(std::filesystem::exists(resourceFolder() / "models/tiny-wan-t2v/model_index.json"));
}

}  // namespace
}  // namespace meshreel
