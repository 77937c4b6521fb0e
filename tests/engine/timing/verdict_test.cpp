// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace meshreel {
namespace {

using Times = std::vector<double>;

TEST(Times, MedianAndSpreadAreThoseOfTheWholeList) {
    const TimesSummary times = summarizeTimes(Times{4, 1, 2});
    EXPECT_EQ(times.count, 3U);
    EXPECT_DOUBLE_EQ(times.median, 2);
    EXPECT_DOUBLE_EQ(times.spread(), 1.5);
    EXPECT_EQ(summarizeTimes(Times{}).spread(), 0);
    EXPECT_EQ(timesSentence(times).text(), "2.00 s, spread 150 %");
    EXPECT_EQ(timesSentence(summarizeTimes(Times{0.0123, 0.0125})).text(), "12.4 ms, spread 1.6 %");
}

TEST(Verdict, ThreeTimesThatDoNotMixAreTheFewestThatTell) {
    const Verdict verdict = judge(Times{10, 11, 12}, Times{5, 5.5, 6});
    EXPECT_EQ(verdict.difference, Difference::Faster);
    EXPECT_DOUBLE_EQ(verdict.low, 5.0 / 12) << "the whole range of the nine ratios";
    EXPECT_DOUBLE_EQ(verdict.high, 6.0 / 10);
    EXPECT_EQ(verdict.repeats, 0);
    EXPECT_EQ(verdictSentence(verdict).text(), "Faster: 40 to 58 % less time");
    const Verdict back = judge(Times{5, 5.5, 6}, Times{10, 11, 12});
    EXPECT_EQ(back.difference, Difference::Slower);
    EXPECT_EQ(verdictSentence(back).text(), "Slower: 67 to 140 % more time");
    const Verdict few = judge(Times{10, 11}, Times{5, 5.5});
    EXPECT_EQ(few.difference, Difference::TooFew);
    EXPECT_EQ(few.repeats, 2);
    EXPECT_EQ(verdictSentence(few).text(), "Too few times to tell: repeat 2 times");
}

TEST(Verdict, OneOrNoTimeTellsNothing) {
    EXPECT_EQ(judge(Times{1}, Times{2}).difference, Difference::TooFew);
    EXPECT_EQ(judge(Times{1}, Times{2}).repeats, 2);
    EXPECT_EQ(judge(Times{}, Times{2, 2, 2}).difference, Difference::TooFew);
    EXPECT_EQ(judge(Times{0, 0, 0}, Times{2, 2, 2}).difference, Difference::TooFew) << "no ratio to 0";
}

TEST(Verdict, TimesThatMixAreWithinTheNoise) {
    const Verdict verdict = judge(Times{10, 11, 12, 13}, Times{9.5, 10.5, 11.5, 12.5});
    EXPECT_EQ(verdict.difference, Difference::Noise);
    EXPECT_LT(verdict.low, 1);
    EXPECT_GT(verdict.high, 1);
    EXPECT_GE(verdict.repeats, 2);
    EXPECT_THAT(verdictSentence(verdict).text(), ::testing::StartsWith("Within the noise: repeat "));
    const Verdict equal = judge(Times{1, 2, 3, 4}, Times{1, 2, 3, 4});
    EXPECT_EQ(equal.difference, Difference::Noise);
    EXPECT_EQ(equal.repeats, 0);
    EXPECT_EQ(verdictSentence(equal).text(), "Within the noise: 100 repeats would hardly tell");
}

/// P(U <= 4) is 12 of the 252 orders of five and five: 0.0476 at each end.
TEST(Verdict, FiveTimesEachLeaveOutFourRatiosAtEachEnd) {
    const Times reference{1, 1, 1, 1, 1};
    const Times other{2, 3, 4, 5, 6};
    const Verdict verdict = judge(reference, other);
    // Each ratio five times: the fifth from either end.
    EXPECT_DOUBLE_EQ(verdict.low, 2);
    EXPECT_DOUBLE_EQ(verdict.high, 6);
    const Verdict mixed = judge(Times{1, 2, 3, 4, 5}, Times{10, 20, 30, 40, 50});
    Times ratios;
    for (const double one : {10, 20, 30, 40, 50})
        for (const double was : {1, 2, 3, 4, 5})
            ratios.push_back(one / was);
    std::ranges::sort(ratios);
    EXPECT_DOUBLE_EQ(mixed.low, ratios[4]);
    EXPECT_DOUBLE_EQ(mixed.high, ratios[20]);
}

TEST(Verdict, TheExactDistributionMeetsItsApproximation) {
    std::mt19937 random(7);
    std::lognormal_distribution<double> times(0, 0.1);
    Times some;
    Times others;
    for (int i = 0; i < 64; ++i) {
        some.push_back(times(random));
        others.push_back(1.05 * times(random));
    }
    const Verdict counted = judge(std::span(some).first(20), std::span(others).first(20));
    const Verdict approximate = judge(some, others);  // 2^53 orders are exceeded
    EXPECT_LT(approximate.high - approximate.low, counted.high - counted.low);
    EXPECT_LE(approximate.low, 1.05);
    EXPECT_GE(approximate.high, 1.05);
}

TEST(Verdict, NineOfTenIntervalsHoldTheRatio) {
    std::mt19937 random(11);
    std::gamma_distribution<double> times(3, 1);  // skew, as times are
    constexpr int trials = 2000;
    constexpr double ratio = 1.3;
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
        Times reference;
        Times other;
        for (int i = 0; i < 6; ++i) {
            reference.push_back(times(random));
            other.push_back(ratio * times(random));
        }
        const Verdict verdict = judge(reference, other);
        held += verdict.low <= ratio && ratio <= verdict.high ? 1 : 0;
    }
    EXPECT_GE(held, 0.88 * trials);
    EXPECT_LE(held, 0.95 * trials) << "an interval that always holds it says nothing";
}

TEST(Verdict, TheBestOfManyNeedsMoreThanTheBestOfTwo) {
    const Times own{10, 11, 12, 13};
    const Times best{8, 8.5, 9, 9.5};
    EXPECT_EQ(judge(own, best).difference, Difference::Faster);
    const Verdict ofMany = judge(own, best, {.comparisons = 15});
    EXPECT_EQ(ofMany.difference, Difference::TooFew);
    EXPECT_GE(ofMany.repeats, 2);
}

TEST(Verdict, RepeatsAreCountedInWhatOneRepeatBrings) {
    const Times some{10, 11, 12, 13};
    const Times others{9.5, 10.5, 11.5, 12.5};
    const int passes = judge(some, others).repeats;
    ASSERT_GT(passes, 20);
    const int runs = judge(some, others, {.samplesPerRepeat = 10}).repeats;
    EXPECT_EQ(runs, (passes + 9) / 10);
}

TEST(Verdict, RepeatingAsOftenAsItSaysMostlyTells) {
    std::mt19937 random(5);
    std::normal_distribution<double> noise(0, 0.03);
    const auto sample = [&](std::size_t count, double middle) {
        Times times;
        for (std::size_t i = 0; i < count; ++i)
            times.push_back(middle * std::exp(noise(random)));
        return times;
    };
    int told = 0;
    int asked = 0;
    for (int trial = 0; trial < 400; ++trial) {
        Times own = sample(8, 1.0);
        Times other = sample(8, 0.975);
        const Verdict first = judge(own, other);
        if (first.difference != Difference::Noise || first.repeats == 0)
            continue;
        ++asked;
        const auto more = static_cast<std::size_t>(first.repeats);
        for (double time : sample(more, 1.0))
            own.push_back(time);
        for (double time : sample(more, 0.975))
            other.push_back(time);
        told += judge(own, other).difference == Difference::Faster ? 1 : 0;
    }
    ASSERT_GT(asked, 50);
    EXPECT_GT(told, asked / 2) << "of " << asked;
}

TEST(Verdict, LongListsAreComparedInEvenSteps) {
    constexpr std::size_t many = 4 * Verdict::mostTimes;
    Times drifting;
    Times everyFourth;
    for (std::size_t i = 0; i < many; ++i) {
        drifting.push_back(1 + static_cast<double>(i) / many);
        if (i % 4 == 0)
            everyFourth.push_back(drifting.back());
    }
    const Times steady(many, 1.5);
    const Verdict ofAll = judge(steady, drifting);
    const Verdict ofSome = judge(Times(Verdict::mostTimes, 1.5), everyFourth);
    EXPECT_EQ(ofAll.low, ofSome.low);
    EXPECT_EQ(ofAll.high, ofSome.high);
    EXPECT_EQ(ofAll.difference, Difference::Noise) << "its first quarter alone would be faster";
    EXPECT_EQ(ofAll.repeats, 0) << "more times would not be compared";
}

TEST(Verdict, RangesThatOverlapGiveNone) {
    const Verdict overlap = judgeRanges({2, 3}, {2.5, 3.5});
    EXPECT_EQ(overlap.difference, Difference::Overlap);
    EXPECT_EQ(verdictSentence(overlap).text(), "No verdict: the ranges overlap");
    const Verdict faster = judgeRanges({2, 3}, {1, 1.5});
    EXPECT_EQ(faster.difference, Difference::Faster);
    EXPECT_EQ(verdictSentence(faster).text(), "Faster: 25 to 67 % less time");
    EXPECT_EQ(judgeRanges({1, 1.5}, {2, 3}).difference, Difference::Slower);
    EXPECT_EQ(judgeRanges({0, 0}, {2, 3}).difference, Difference::Overlap);
}

}  // namespace
}  // namespace meshreel
