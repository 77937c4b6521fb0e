// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/rank_start.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Four ranks: two here, one each on b and c.
class RankStart : public ::testing::Test {
  protected:
    void at(std::chrono::milliseconds time) {
        for (; m_now < time; m_now += 500ms)
            watch.advance(RankStartWatch::Time(m_now));
        watch.advance(RankStartWatch::Time(time));
        m_now = time;
    }
    void note(int rank, RankSign::Kind kind = RankSign::Kind::Alive) {
        watch.note({.rank = rank, .kind = kind}, RankStartWatch::Time(m_now));
    }

    RankStartWatch watch{std::vector<Host>{{"localhost", 2}, {"b", 1}, {"c", 1}},
                         4,
                         {.begin = 60s},
                         RankStartWatch::Time(0ms)};

  private:
    std::chrono::milliseconds m_now{0};
};

TEST_F(RankStart, SignsAreReadBack) {
    for (const auto kind : {RankSign::Kind::Alive, RankSign::Kind::Met, RankSign::Kind::Left}) {
        const auto heard = parseRankSign("half a line" + rankSignLine({.rank = 12, .kind = kind}));
        ASSERT_TRUE(heard);
        EXPECT_EQ(heard->sign.rank, 12);
        EXPECT_EQ(heard->sign.kind, kind);
        EXPECT_EQ(heard->before, "half a line");
    }
    for (const char* other : {"", "words", "meshreel-rank-sign: ", "meshreel-rank-sign: x met",
                              "meshreel-rank-sign: 1 gone", "meshreel-rank-sign: -1 met"})
        EXPECT_FALSE(parseRankSign(other)) << other;
}

TEST_F(RankStart, ARankThatBeganAndFellSilentIsFound) {
    note(2);
    at(4s);
    EXPECT_FALSE(watch.silentRank());
    at(6s);
    EXPECT_EQ(watch.silentRank(), 2);
    note(2);
    EXPECT_FALSE(watch.silentRank());
    note(2, RankSign::Kind::Met);
    at(30s);
    EXPECT_FALSE(watch.silentRank()) << "the ranks watch each other then";
}

TEST_F(RankStart, ATimeWithoutLooksIsHeldAgainstNobody) {
    note(2);
    at(1s);
    watch.advance(RankStartWatch::Time(100s));
    EXPECT_FALSE(watch.silentRank());
    EXPECT_FALSE(watch.isOverdue());
}

TEST_F(RankStart, HostsThatNeverAnswerAreNamed) {
    at(59s);
    EXPECT_FALSE(watch.isOverdue());
    at(61s);
    EXPECT_TRUE(watch.isOverdue());
    EXPECT_THAT(watch.missingHosts(), ElementsAre(Host{"b", 1}, Host{"c", 1}));
}

TEST_F(RankStart, OnceRanksHaveBegunTheHostsOfThoseAreNamedThatHaveNotMetThem) {
    for (const int rank : {0, 1, 3})
        note(rank, RankSign::Kind::Met);
    note(2);
    EXPECT_FALSE(watch.allMet());
    EXPECT_THAT(watch.missingHosts(), ElementsAre(Host{"b", 1}));
    note(2, RankSign::Kind::Met);
    EXPECT_TRUE(watch.allMet());
    EXPECT_THAT(watch.missingHosts(), IsEmpty());
    at(100s);
    EXPECT_FALSE(watch.isOverdue());
}

TEST_F(RankStart, OnceTheyMetOnlySilenceOfRankZeroSpeaksAgainstMpirun) {
    for (const int rank : {0, 1, 2, 3})
        note(rank, RankSign::Kind::Met);
    at(25s);
    note(0, RankSign::Kind::Met);
    at(50s);
    EXPECT_FALSE(watch.isDeaf());
    at(56s);
    EXPECT_TRUE(watch.isDeaf());
    note(0, RankSign::Kind::Left);
    at(200s);
    EXPECT_FALSE(watch.isDeaf());
}

TEST_F(RankStart, WhereAllHostsAreThisMachineItIsNamed) {
    const std::vector<Host> hosts{{"localhost", 1}};
    const RankStartWatch here(hosts, 3, {.begin = 1s}, RankStartWatch::Time(0ms));
    EXPECT_THAT(here.missingHosts(), ElementsAre(Host{"localhost", 1}));
    EXPECT_EQ(here.hostOf(2).name, "localhost") << "more ranks than slots";
}

}  // namespace
}  // namespace meshreel
