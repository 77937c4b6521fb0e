// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/rated_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/runs/records/quality_rows.h"
#include "engine/runs/run_record_reader.h"
#include "tests/support/judged_run.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::JudgedRunOptions;
using testing::makeJudgedRun;

class RatedRunsTest : public ::testing::Test {
  protected:
    fs::path make(const std::string& name, const JudgedRunOptions& options) {
        makeJudgedRun(m_folder / name, options);
        m_runs.push_back(m_folder / name);
        return m_runs.back();
    }

    [[nodiscard]] std::vector<JudgedRun> judged() const {
        std::vector<JudgedRun> runs;
        for (const fs::path& run : m_runs)
            runs.push_back(readJudgedRun(run));
        return runs;
    }

    /// Two prompts with three numbers of steps each.
    void makeGrid() {
        for (const char* prompt : {"ball", "cube"})
            for (const int steps : {10, 20, 30})
                make(prompt + std::to_string(steps),
                     {.prompt = std::string("a ") + prompt, .steps = steps, .inference = 1.0 * steps});
    }

    testing::TemporaryFolder m_folder;
    std::vector<fs::path> m_runs;
};

TEST_F(RatedRunsTest, ASettingIsWhatDiffersBesidePromptAndSeed) {
    makeGrid();
    make("again", {.prompt = "a ball", .steps = 10, .seed = 5, .devices = 2});
    const RatedRuns rated(judged());
    ASSERT_EQ(rated.settings().size(), 3U);
    EXPECT_EQ(nameOf(rated.settings()[0]), "num_inference_steps 10");
    EXPECT_EQ(rated.settingOf(6), rated.settingOf(0)) << "devices make no other picture";
    EXPECT_EQ(rated.find(m_runs[4]), 4U);
    EXPECT_FALSE(rated.find(m_folder / "nowhere"));
    EXPECT_NE(rated.runs()[0].scene, rated.runs()[3].scene);
    EXPECT_EQ(rated.runs()[0].scene, rated.runs()[6].scene);
}

TEST_F(RatedRunsTest, PairsAreOfOneSceneAndTwoSettings) {
    makeGrid();
    RatingSession session(judged(), 1);
    EXPECT_EQ(session.pairs(), 6U) << "three of each prompt";
    for (int drawn = 0; drawn < 20; ++drawn) {
        const RunPair pair = session.draw().value();
        session.see(pair);
        EXPECT_EQ(session.rated().runs()[pair.left].scene, session.rated().runs()[pair.right].scene);
        EXPECT_NE(session.rated().settingOf(pair.left), session.rated().settingOf(pair.right));
    }
}

TEST_F(RatedRunsTest, NoPairComesTwiceBeforeAllOthersDid) {
    makeGrid();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        RatingSession session(judged(), seed);
        for (int round = 1; round <= 3; ++round) {
            std::set<std::set<std::size_t>> seen;
            for (std::size_t pair = 0; pair < session.pairs(); ++pair) {
                const RunPair drawn = session.draw().value();
                session.see(drawn);
                seen.insert({drawn.left, drawn.right});
            }
            EXPECT_EQ(seen.size(), session.pairs()) << round;
        }
        EXPECT_EQ(session.unseen(), 0U);
    }
}

TEST_F(RatedRunsTest, SidesAreDrawnByLot) {
    make("a", {.steps = 10});
    make("b", {.steps = 20});
    RatingSession session(judged(), 3);
    int first = 0;
    constexpr int draws = 200;
    for (int drawn = 0; drawn < draws; ++drawn)
        first += session.draw()->left == 0 ? 1 : 0;
    EXPECT_GT(first, draws / 4);
    EXPECT_LT(first, 3 * draws / 4);
}

TEST_F(RatedRunsTest, TheLeastCertainPairComesFirst) {
    for (const int steps : {10, 20, 30})
        for (const int seed : {1, 2, 3, 4})
            make(std::to_string(steps) + "-" + std::to_string(seed), {.steps = steps, .seed = seed});
    RatingSession session(judged(), 2);
    // 10 and 20 steps were compared often: what comes next is about 30.
    for (std::size_t seed = 0; seed < 3; ++seed)
        session.vote({seed, 4 + seed}, seed % 2 == 0 ? Better::Left : Better::Right);
    const RunPair pair = session.draw().value();
    const std::set<std::size_t> settings{session.rated().settingOf(pair.left),
                                         session.rated().settingOf(pair.right)};
    EXPECT_TRUE(settings.contains(2));
    EXPECT_EQ(pair.left % 4, pair.right % 4) << "of one seed";
}

TEST_F(RatedRunsTest, VotesAreThereWhenOneComesBack) {
    makeGrid();
    {
        RatingSession session(judged(), 1);
        session.vote({0, 1}, Better::Right);
        session.vote({4, 3}, Better::Left);
        EXPECT_TRUE(session.canTakeBack());
    }
    RatingSession again(judged(), 2);
    EXPECT_EQ(again.votes().size(), 2U);
    EXPECT_EQ(again.unseen(), 4U) << "what others judged was seen";
    EXPECT_FALSE(again.canTakeBack()) << "only one's own";
    const PairRanking ranking = again.ranking();
    EXPECT_EQ(ranking.items()[1].votes, 2) << "twenty steps, with either prompt";
    EXPECT_GT(ranking.items()[1].preference->share, 0.5);
    EXPECT_FALSE(ranking.items()[2].preference);
}

TEST_F(RatedRunsTest, TheLastVoteIsTakenBack) {
    makeGrid();
    RatingSession session(judged(), 1);
    session.see({0, 1});
    session.vote({0, 1}, Better::Right);
    session.see({2, 0});
    session.vote({2, 0}, Better::Left);
    EXPECT_EQ(session.takeBack(), (RunPair{2, 0}));
    EXPECT_EQ(session.votes().size(), 1U);
    EXPECT_EQ(session.unseen(), 5U);
    EXPECT_EQ(session.takeBack(), (RunPair{0, 1}));
    EXPECT_EQ(session.takeBack(), std::nullopt);
    EXPECT_TRUE(readVotesAbout(m_runs).empty());
}

TEST_F(RatedRunsTest, RunsOfOtherPromptsAreComparedOnlyWhereNoneHasOneInCommon) {
    make("a", {.prompt = "a ball", .steps = 10});
    make("b", {.prompt = "a cube", .steps = 20});
    EXPECT_EQ(RatingSession(judged(), 1).pairs(), 1U) << "chosen by hand";
    make("c", {.prompt = "a cube", .steps = 10});
    EXPECT_EQ(RatingSession(judged(), 1).pairs(), 1U) << "that of the cubes";
}

TEST_F(RatedRunsTest, WhatCannotBeRatedIsRefused) {
    make("a", {.steps = 10});
    EXPECT_THROW(RatingSession(judged(), 1), Error);
    make("b", {.steps = 10, .seed = 9});
    EXPECT_THROW(RatingSession(judged(), 1), Error) << "they differ in their seed only";
    make("c", {.steps = 20, .hasVideo = false});
    EXPECT_THROW(RatingSession(judged(), 1), Error);
    make("d", {.steps = 30});
    const RatingSession session(judged(), 1);
    EXPECT_EQ(session.leftOut(), 1U);
    for (std::size_t steps = 100; steps <= 100 + mostRatedSettings; ++steps)
        make(std::to_string(steps), {.steps = static_cast<int>(steps)});
    EXPECT_THROW(RatingSession(judged(), 1), Error);
}

TEST_F(RatedRunsTest, ARunWhoseVideoIsDamagedIsNotDrawn) {
    makeGrid();
    RatingSession session(judged(), 1);
    session.leaveOut(0);
    EXPECT_EQ(session.pairs(), 4U);
    for (std::size_t run = 1; run < 6; ++run)
        session.leaveOut(run);
    EXPECT_FALSE(session.draw());
}

TEST_F(RatedRunsTest, RecordsGetTheirRatings) {
    makeGrid();
    addVote(m_runs[1], m_runs[0], Better::Left);
    addVote(m_runs[4], m_runs[3], Better::Left);
    std::vector<RunRecord> records;
    for (const fs::path& run : m_runs)
        records.push_back(readRunRecord(run));
    records.emplace_back();
    records.back().name = "pasted";
    records.back().pasted = true;
    addRatings(records);
    EXPECT_EQ(records[1].rating.setting, "num_inference_steps 20");
    EXPECT_EQ(records[1].rating, records[4].rating);
    EXPECT_TRUE(records.back().rating.setting.empty());
    const std::vector<QualityRow> rows = qualityRows(records);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].setting, "num_inference_steps 20") << "the most preferred first";
    EXPECT_EQ(rows[0].runs, (std::vector<std::size_t>{1, 4}));
    EXPECT_DOUBLE_EQ(rows[0].inference.median, 20);
    EXPECT_EQ(rows[2].setting, "num_inference_steps 30");
    EXPECT_FALSE(rows[2].isPlaced());
    EXPECT_TRUE(haveVotes(rows));
    EXPECT_TRUE(groupsSentence(rows).empty());
    const DataTable table = qualityTable(rows);
    EXPECT_EQ(table.columns.front(), "setting");
    EXPECT_EQ(table.rows.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[2][2])) << "no share without votes";
    DataTable runs{.columns = {"run"}, .rows = {}};
    for (const RunRecord& record : records)
        runs.rows.push_back({record.name});
    addRatingColumns(runs, records);
    EXPECT_EQ(runs.columns.size(), 6U);
    EXPECT_EQ(std::get<std::int64_t>(runs.rows[4].back()), 2);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(runs.rows[6].back()));
}

TEST_F(RatedRunsTest, GroupsAreTold) {
    for (const int steps : {10, 20, 30, 40})
        make(std::to_string(steps), {.steps = steps});
    addVote(m_runs[0], m_runs[1], Better::Left);
    addVote(m_runs[2], m_runs[3], Better::Left);
    std::vector<RunRecord> records;
    for (const fs::path& run : m_runs)
        records.push_back(readRunRecord(run));
    addRatings(records);
    const std::vector<QualityRow> rows = qualityRows(records);
    EXPECT_FALSE(groupsSentence(rows).empty());
    EXPECT_EQ(qualityTable(rows).columns.back(), "group");
}

TEST_F(RatedRunsTest, DamagedVotesAreToldAndSetNothing) {
    makeGrid();
    writeFileAtomically(m_folder / votesFileName, "{");
    std::vector<RunRecord> records{readRunRecord(m_runs[0]), readRunRecord(m_runs[1])};
    EXPECT_THROW(addRatings(records), Error);
    EXPECT_TRUE(records[0].rating.setting.empty());
}

}  // namespace
}  // namespace meshreel
