// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/pair_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace meshreel {
namespace {

using Outcomes = std::vector<PairOutcome>;

void add(Outcomes& outcomes, std::size_t winner, std::size_t loser, int times) {
    for (int vote = 0; vote < times; ++vote)
        outcomes.push_back({winner, loser, 1});
}

double logOdds(double share) {
    return std::log(share / (1 - share));
}

/// Votes as people with these strengths (logarithms) give them, a third of them ties.
Outcomes randomOutcomes(const std::vector<double>& strengths, int votes, unsigned seed) {
    std::mt19937 lots(seed);
    std::uniform_int_distribution<std::size_t> items(0, strengths.size() - 1);
    Outcomes outcomes;
    while (static_cast<int>(outcomes.size()) < votes) {
        const std::size_t first = items(lots);
        const std::size_t second = items(lots);
        if (first == second)
            continue;
        const double chance = 1 / (1 + std::exp(strengths[second] - strengths[first]));
        const bool tie = std::bernoulli_distribution(1.0 / 3)(lots);
        outcomes.push_back({first, second,
                            tie                                         ? 0.5
                            : std::bernoulli_distribution(chance)(lots) ? 1.0
                                                                        : 0.0});
    }
    return outcomes;
}

// Agresti, Categorical Data Analysis, 2nd edition (2002), table 10.10: baseball teams of 1987 and the
// estimates of their strengths' logarithms. Each game a hundred times, so that the fictitious comparison
// hardly counts.
TEST(PairRanking, ItIsThatOfAPublishedCase) {
    constexpr std::array<std::array<int, 7>, 7> wins{{{0, 7, 9, 7, 7, 9, 11},
                                                      {6, 0, 7, 5, 11, 9, 9},
                                                      {4, 6, 0, 7, 7, 8, 12},
                                                      {6, 8, 6, 0, 6, 7, 10},
                                                      {6, 2, 6, 7, 0, 7, 12},
                                                      {4, 4, 5, 6, 6, 0, 6},
                                                      {2, 4, 1, 3, 1, 7, 0}}};
    constexpr std::array strengths{1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0};
    Outcomes outcomes;
    for (std::size_t winner = 0; winner < wins.size(); ++winner)
        for (std::size_t loser = 0; loser < wins.size(); ++loser)
            add(outcomes, winner, loser, 100 * wins[winner][loser]);
    const PairRanking ranking(wins.size(), outcomes);
    for (std::size_t team = 0; team < strengths.size(); ++team)
        EXPECT_NEAR(logOdds(ranking.chance(team, 6)), strengths[team], 0.01) << team;
    EXPECT_EQ(ranking.order(), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(ranking.groups(), 1);
}

// Of two things the conditions for the most likely strengths are one equation in the difference d of their
// logarithms: with w wins of n, w + 1/2 = n s(d) + s(d/2), where s(x) = 1 / (1 + exp(-x)).
TEST(PairRanking, OfTwoThingsItSolvesTheEquation) {
    const auto s = [](double x) { return 1 / (1 + std::exp(-x)); };
    for (const auto& [won, lost] : {std::pair(3, 1), std::pair(10, 0), std::pair(1, 0), std::pair(7, 7)}) {
        double low = -20;
        double high = 20;
        for (int halving = 0; halving < 100; ++halving) {
            const double middle = (low + high) / 2;
            ((won + lost) * s(middle) + s(middle / 2) < won + 0.5 ? low : high) = middle;
        }
        Outcomes outcomes;
        add(outcomes, 0, 1, won);
        add(outcomes, 1, 0, lost);
        const PairRanking ranking(2, outcomes);
        EXPECT_NEAR(ranking.chance(0, 1), s(low), 1e-7) << won << ":" << lost;
        EXPECT_NEAR(ranking.items()[0].preference->share, s(low), 1e-7);
        EXPECT_EQ(ranking.items()[0].votes, won + lost);
    }
}

TEST(PairRanking, ATieIsHalfAWinOfEach) {
    Outcomes ties;
    Outcomes halves;
    for (int vote = 0; vote < 4; ++vote) {
        ties.push_back({0, 1, 0.5});
        halves.push_back({0, 1, vote % 2 == 0 ? 1.0 : 0.0});
    }
    add(ties, 1, 2, 3);
    add(halves, 1, 2, 3);
    EXPECT_EQ(PairRanking(3, ties).items(), PairRanking(3, halves).items());
}

TEST(PairRanking, SidesAndNumbersMakeNoDifference) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Outcomes outcomes = randomOutcomes({1.0, 0.2, -0.4, -0.8}, 30, seed);
        Outcomes swapped;
        Outcomes renumbered;
        for (const PairOutcome& outcome : outcomes) {
            swapped.push_back({outcome.second, outcome.first, 1 - outcome.score});
            renumbered.push_back({3 - outcome.first, 3 - outcome.second, outcome.score});
        }
        const PairRanking ranking(4, outcomes);
        const PairRanking bySides(4, swapped);
        const PairRanking byNumbers(4, renumbered);
        for (std::size_t item = 0; item < 4; ++item) {
            const RankedItem& was = ranking.items()[item];
            for (const RankedItem& is : {bySides.items()[item], byNumbers.items()[3 - item]}) {
                EXPECT_NEAR(is.preference->share, was.preference->share, 1e-7);
                EXPECT_NEAR(is.preference->low, was.preference->low, 1e-7);
                EXPECT_NEAR(is.preference->high, was.preference->high, 1e-7);
                EXPECT_EQ(is.bestPlace, was.bestPlace);
                EXPECT_EQ(is.worstPlace, was.worstPlace);
            }
        }
    }
}

TEST(PairRanking, AllThingsTogetherArePreferredInHalfOfTheCases) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const PairRanking ranking(5, randomOutcomes({2, 1, 0, -1, -2}, 60, seed));
        ASSERT_EQ(ranking.groups(), 1);
        double sum = 0;
        for (const RankedItem& item : ranking.items())
            sum += item.preference->share;
        EXPECT_NEAR(sum, 2.5, 1e-9);
    }
}

TEST(PairRanking, IntervalsShrinkWithVotes) {
    double before = 1;
    for (const int times : {1, 4, 16, 64, 256}) {
        Outcomes outcomes;
        add(outcomes, 0, 1, 2 * times);
        add(outcomes, 1, 0, times);
        add(outcomes, 1, 2, 2 * times);
        add(outcomes, 2, 1, times);
        const Preference preference = *PairRanking(3, outcomes).items()[1].preference;
        EXPECT_LT(preference.low, preference.share);
        EXPECT_GT(preference.high, preference.share);
        const double width = preference.high - preference.low;
        EXPECT_LT(width, 0.75 * before) << times;
        before = width;
    }
}

// With many votes of known strengths, at least nine of ten intervals hold the truth: ties make them too wide.
TEST(PairRanking, IntervalsHoldTheTruth) {
    const std::vector<double> strengths{0.8, 0.3, 0.0, -1.1};
    int held = 0;
    int all = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 lots(seed);
        Outcomes outcomes;
        for (std::size_t first = 0; first < 4; ++first)
            for (std::size_t second = first + 1; second < 4; ++second)
                for (int vote = 0; vote < 30; ++vote) {
                    const double chance = 1 / (1 + std::exp(strengths[second] - strengths[first]));
                    outcomes.push_back(
                        {first, second, std::bernoulli_distribution(chance)(lots) ? 1.0 : 0.0});
                }
        const PairRanking ranking(4, outcomes);
        for (std::size_t item = 0; item < 4; ++item) {
            double truth = 0;
            for (std::size_t other = 0; other < 4; ++other)
                if (other != item)
                    truth += 1 / (1 + std::exp(strengths[other] - strengths[item])) / 3;
            const Preference& preference = *ranking.items()[item].preference;
            held += preference.low <= truth && truth <= preference.high ? 1 : 0;
            ++all;
        }
    }
    EXPECT_GT(held, 0.85 * all);
    EXPECT_LT(held, 0.96 * all);
}

TEST(PairRanking, WhatAlwaysWonHasNoInfiniteStrength) {
    for (const int votes : {1, 10, 10'000}) {
        Outcomes outcomes;
        add(outcomes, 0, 1, votes);
        const PairRanking ranking(2, outcomes);
        for (const RankedItem& item : ranking.items()) {
            EXPECT_GT(item.preference->low, 0);
            EXPECT_LT(item.preference->high, 1);
            EXPECT_TRUE(std::isfinite(item.preference->share));
        }
        EXPECT_GT(ranking.items()[0].preference->share, 0.5);
    }
}

TEST(PairRanking, PlacesAreOpenUntilTheyAreDecided) {
    Outcomes few;
    add(few, 0, 1, 1);
    const PairRanking open(2, few);
    EXPECT_EQ(open.items()[0].bestPlace, 1);
    EXPECT_EQ(open.items()[0].worstPlace, 2);
    Outcomes many;
    add(many, 0, 1, 18);
    add(many, 1, 0, 2);
    const PairRanking decided(2, many);
    EXPECT_EQ(decided.items()[0].worstPlace, 1);
    EXPECT_EQ(decided.items()[1].bestPlace, 2);
}

TEST(PairRanking, GroupsThatWereNeverComparedHaveNoOrder) {
    Outcomes outcomes;
    add(outcomes, 3, 4, 5);
    add(outcomes, 1, 0, 1);
    const PairRanking ranking(6, outcomes);
    EXPECT_EQ(ranking.groups(), 2);
    EXPECT_EQ(ranking.items()[3].group, 0) << "the one with the most votes is the first";
    EXPECT_EQ(ranking.items()[4].group, 0);
    EXPECT_EQ(ranking.items()[0].group, 1);
    EXPECT_EQ(ranking.items()[1].group, 1);
    EXPECT_EQ(ranking.items()[1].worstPlace, 2) << "places count within a group";
    for (const std::size_t unseen : {2U, 5U}) {
        EXPECT_FALSE(ranking.items()[unseen].preference);
        EXPECT_EQ(ranking.items()[unseen].bestPlace, 0);
        EXPECT_GT(ranking.items()[unseen].group, 1);
    }
    EXPECT_EQ(ranking.order(), (std::vector<std::size_t>{3, 4, 1, 0, 2, 5}));
    add(outcomes, 4, 1, 1);
    EXPECT_EQ(PairRanking(6, outcomes).groups(), 1) << "one vote connects them";
}

TEST(PairRanking, WhatWasNotComparedIsLeastCertain) {
    Outcomes outcomes;
    add(outcomes, 0, 1, 3);
    add(outcomes, 1, 0, 3);
    const PairRanking ranking(3, outcomes);
    EXPECT_GT(ranking.uncertainty(0, 2), ranking.uncertainty(0, 1));
    EXPECT_NEAR(ranking.uncertainty(0, 2), ranking.uncertainty(1, 2), 1e-9);
    Outcomes clear;
    add(clear, 0, 1, 9);
    add(clear, 1, 2, 9);
    const PairRanking ordered(3, clear);
    EXPECT_GT(ordered.uncertainty(0, 1), 0);
    EXPECT_NEAR(ordered.chance(0, 2) + ordered.chance(2, 0), 1, 1e-12);
}

TEST(PairRanking, NothingIsRankedWithoutVotes) {
    EXPECT_TRUE(PairRanking(0, {}).items().empty());
    const PairRanking ranking(3, {});
    EXPECT_EQ(ranking.groups(), 0);
    for (const RankedItem& item : ranking.items())
        EXPECT_FALSE(item.preference);
}

}  // namespace
}  // namespace meshreel
