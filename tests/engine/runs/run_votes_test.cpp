// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_votes.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

class RunVotes : public ::testing::Test {
  protected:
    RunVotes() {
        for (const char* name : {"a", "b", "c"})
            fs::create_directories(run(name));
    }

    [[nodiscard]] fs::path run(const std::string& name) const { return m_folder / "runs" / name; }
    [[nodiscard]] fs::path file() const { return m_folder / "runs" / votesFileName; }
    [[nodiscard]] nlohmann::json content() const { return nlohmann::json::parse(readFile(file())); }
    [[nodiscard]] std::vector<Vote> votes() const { return readVotes(file().parent_path()); }

    testing::TemporaryFolder m_folder;
};

TEST_F(RunVotes, AreKeptInTheFolderOfRuns) {
    EXPECT_TRUE(votes().empty());
    const Vote vote = addVote(run("b"), run("a"), Better::Left);
    addVote(run("a"), run("c"), Better::Neither);
    ASSERT_EQ(votes().size(), 2U);
    EXPECT_EQ(votes().front(), vote);
    EXPECT_EQ(votes().front().left, votedPath(run("b")));
    EXPECT_EQ(content()["version"], 1);
    const nlohmann::json first = content()["votes"][0];
    EXPECT_EQ(first["left"], "b") << "relative to the folder, so that it can move";
    EXPECT_EQ(first["right"], "a");
    EXPECT_EQ(first["better"], "left");
    EXPECT_EQ(content()["votes"][1]["better"], "neither");
    EXPECT_FALSE(first["time"].get<std::string>().empty());
}

TEST_F(RunVotes, AreAboutTheRunsThatAreAskedFor) {
    addVote(run("a"), run("b"), Better::Left);
    addVote(run("a"), run("c"), Better::Right);
    const std::vector<fs::path> two{run("a"), run("b")};
    ASSERT_EQ(readVotesAbout(two).size(), 1U);
    EXPECT_EQ(readVotesAbout(two).front().right, votedPath(run("b")));
    const fs::path link = m_folder / "link";
    fs::create_directory_symlink(m_folder / "runs", link);
    const std::vector<fs::path> throughALink{link / "a/", link / "b"};
    EXPECT_EQ(readVotesAbout(throughALink).size(), 1U);
}

TEST_F(RunVotes, OfRunsInTwoFoldersAreFoundFromBoth) {
    const fs::path other = m_folder / "elsewhere" / "d";
    fs::create_directories(other);
    addVote(run("a"), other, Better::Right);
    const std::vector<fs::path> both{run("a"), other};
    ASSERT_EQ(readVotesAbout(both).size(), 1U);
    EXPECT_EQ(readVotesAbout(both).front().right, votedPath(other));
}

TEST_F(RunVotes, AreTakenBack) {
    const Vote vote = addVote(run("a"), run("b"), Better::Left);
    const Vote other = addVote(run("a"), run("b"), Better::Right);
    EXPECT_NE(vote.id, other.id);
    takeBackVote(vote);
    EXPECT_EQ(votes(), std::vector{other});
    takeBackVote(vote);  // gone already
    EXPECT_EQ(votes(), std::vector{other});
}

TEST_F(RunVotes, OfTwoProgramsAreAllKept) {
    constexpr int each = 20;
    std::vector<std::thread> programs;
    for (int program = 0; program < 3; ++program)
        programs.emplace_back([this] {
            for (int vote = 0; vote < each; ++vote)
                addVote(run("a"), run("b"), Better::Left);
        });
    for (std::thread& program : programs)
        program.join();
    std::set<std::string> ids;
    for (const Vote& vote : votes())
        ids.insert(vote.id);
    EXPECT_EQ(ids.size(), 3U * each);
}

TEST_F(RunVotes, WhatOtherProgramsWroteStays) {
    writeFileAtomically(file(), R"({"version": 1, "of": "Ann", "votes": [
        {"id": "x", "left": "a", "right": "b", "better": "right", "mood": "tired"}]})");
    addVote(run("a"), run("b"), Better::Left);
    EXPECT_EQ(content()["of"], "Ann");
    EXPECT_EQ(content()["votes"][0]["mood"], "tired");
    EXPECT_EQ(votes().size(), 2U);
}

TEST_F(RunVotes, ThatCannotBeReadAreNeverReplaced) {
    for (const char* text :
         {"{", "[]", R"({"votes": []})", R"({"version": 2, "votes": []})", R"({"version": 1, "votes": {}})",
          R"({"version": 1, "votes": [{"id": "x", "left": "a", "right": "b", "better": "top"}]})",
          R"({"version": 1, "votes": [{"id": "x", "left": "a", "better": "left"}]})",
          R"({"version": 1, "votes": [7]})"}) {
        writeFileAtomically(file(), text);
        EXPECT_THROW(static_cast<void>(votes()), Error) << text;
        EXPECT_THROW(addVote(run("a"), run("b"), Better::Left), Error) << text;
        EXPECT_EQ(readFile(file()), text);
    }
}

TEST_F(RunVotes, AreNotReadThroughALink) {
    const fs::path mine = m_folder / "mine.json";
    writeFileAtomically(mine, R"({"version": 1, "votes": []})");
    fs::create_symlink(mine, file());
    EXPECT_THROW(static_cast<void>(votes()), Error);
}

}  // namespace
}  // namespace meshreel
