// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/foresight_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/foresight/own_times.h"
#include "published_v7x.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

const Foresight& fitted() {
    static const Foresight foresight = readForesight();
    return foresight;
}

std::vector<CheckedTime> heldOut() {
    std::vector<PublishedTime> rows = readPublishedTimes(publishedTimesFile());
    std::erase_if(rows, [](const PublishedTime& row) { return row.use != "check"; });
    return checkTimes(rows, fitted());
}

TEST(ForesightCheck, HeldOutTimesAreForeseenWithinTheTargets) {
    const std::vector<CheckedTime> times = heldOut();
    const auto summary = checkJson(times, fitted())["summary"];
    EXPECT_GE(summary["rows"].get<int>(), 50);
    EXPECT_GE(summary["predicted"].get<double>(), 0.8 * summary["rows"].get<double>());
    EXPECT_LE(summary["median_error"].get<double>(), 0.10);
    EXPECT_LE(summary["error_90"].get<double>(), 0.37);
    EXPECT_GE(summary["covered"].get<double>(), 0.80);
}

TEST(ForesightCheck, TimesOfFoldsThatTheFitDoesNotSeeAreForeseenToo) {
    std::vector<PublishedTime> rows = readPublishedTimes(publishedTimesFile());
    std::erase_if(rows, [](const PublishedTime& row) {
        return (row.use != "fit" && row.use != "check") || !metricNamed(row.metric) || row.steps == 0;
    });
    const std::vector<Hardware> profiles = hardwareProfiles();
    std::vector<double> errors;
    int covered = 0;
    constexpr std::size_t folds = 6;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<TimedCase> seen;
        std::vector<TimedCase> unseen;
        for (std::size_t index = 0; index < rows.size(); ++index)
            if (const StatedCase stated = statedCase(rows[index], profiles); stated.found)
                (index % folds == fold ? unseen : seen)
                    .push_back({.id = rows[index].id,
                                .of = *stated.found,
                                .metric = *metricNamed(rows[index].metric),
                                .seconds = rows[index].seconds});
        const Efficiencies efficiencies = Efficiencies::fit(seen);
        for (const TimedCase& time : unseen) {
            const ForeseenTime foreseen = efficiencies.foresee(time.of, time.metric);
            errors.push_back(std::abs(foreseen.seconds / time.seconds - 1));
            covered += foreseen.low <= time.seconds && time.seconds <= foreseen.high ? 1 : 0;
        }
    }
    std::ranges::sort(errors);
    EXPECT_GT(errors.size(), 150U);
    EXPECT_LE(errors[errors.size() / 2], 0.10);
    EXPECT_LE(errors[errors.size() * 9 / 10], 0.37);
    EXPECT_GE(covered, 0.75 * static_cast<double>(errors.size()));
}

TEST(ForesightCheck, JsonHasARowForEachRowAndNullWithAReasonWhereThereIsNoAnswer) {
    PublishedTime known = testing::v7xStep({.ulysses = 2, .ring = 2});
    known.seconds = 2.74;
    PublishedTime unknown = known;
    unknown.id = "abacus";
    unknown.hardware = "Abacus";
    PublishedTime loading = known;
    loading.id = "load";
    loading.metric = "load";
    const std::vector<CheckedTime> times = checkTimes({known, unknown, loading}, fitted());
    const auto json = checkJson(times, fitted());
    ASSERT_EQ(json["rows"].size(), 3U);
    const auto& first = json["rows"][0];
    EXPECT_EQ(first["id"], "v7x");
    EXPECT_NEAR(first["predicted"].get<double>(), 2.74, 0.3);
    EXPECT_LT(first["low"].get<double>(), first["predicted"].get<double>());
    EXPECT_EQ(first["covered"], true);
    EXPECT_TRUE(first["why_not"].is_null());
    EXPECT_TRUE(json["rows"][1]["predicted"].is_null());
    EXPECT_EQ(json["rows"][1]["covered"], false);
    EXPECT_THAT(json["rows"][1]["why_not"].get<std::string>(), HasSubstr("Abacus"));
    EXPECT_THAT(json["rows"][2]["why_not"].get<std::string>(), HasSubstr("load"));
}

TEST(ForesightCheck, TheDocsHaveTheTableThatTheCommandWrites) {
    const std::vector<CheckedTime> all = checkTimes(readPublishedTimes(publishedTimesFile()), fitted());
    const std::string docs = readFile(testing::sourceFolder() / "docs/foresight.md");
    EXPECT_TRUE(docs.find("<!-- errors -->\n" + checkMarkdown(all, fitted()) + "<!-- end of errors -->") !=
                std::string::npos)
        << "Put what meshreel foresee --check resources/published/times.csv --markdown prints between the "
           "marks";
}

TEST(ForesightCheck, TimesThatOthersContradictAreListed) {
    const auto doubts = [](const char* id) {
        return std::ranges::any_of(fitted().doubted,
                                   [&](const DoubtedTime& time) { return time.row.id == id; });
    };
    EXPECT_TRUE(doubts("19")) << "435 s beside 231 s of the same";
    EXPECT_TRUE(doubts("66")) << "7 s a step beside 3.43 s of the same";
    EXPECT_FALSE(doubts("58"));
}

TEST(Efficiencies, WhatHasNoTimesOfItsOwnHasAWiderRange) {
    const AcceleratorCase own =
        statedCase(testing::v7xStep({.ulysses = 2, .ring = 2}), fitted().profiles).found.value();
    PublishedTime other = testing::v7xStep({.ulysses = 2, .ring = 2});
    other.hardware = "TPU v5p";
    const AcceleratorCase unseen = statedCase(other, fitted().profiles).found.value();
    const auto width = [](const ForeseenTime& time) { return time.high / time.low; };
    const Efficiencies& efficiencies = fitted().efficiencies;
    EXPECT_GT(width(efficiencies.foresee(unseen, TimeMetric::Step)),
              1.1 * width(efficiencies.foresee(own, TimeMetric::Step)));
    EXPECT_EQ(efficiencies.basisFor(own), EfficiencyBasis::OwnTimes);
    EXPECT_EQ(efficiencies.basisFor(unseen), EfficiencyBasis::ClassMean);
}

TEST(Efficiencies, OneMeasuredTimeMovesItsNeighbours) {
    const AcceleratorCase one =
        statedCase(testing::v7xStep({.ulysses = 2, .ring = 2}), fitted().profiles).found.value();
    const AcceleratorCase neighbour =
        statedCase(testing::v7xStep({.data = 1, .ulysses = 4, .ring = 2}), fitted().profiles).found.value();
    const Efficiencies none = Efficiencies::fit({});
    const double before = none.foresee(neighbour, TimeMetric::Step).seconds;
    const double slow = 1.4 * none.foresee(one, TimeMetric::Step).seconds;
    const Efficiencies fit = Efficiencies::fit(
        {{.id = "mine", .of = one, .metric = TimeMetric::Step, .seconds = slow, .weight = 4}});
    EXPECT_NEAR(fit.foresee(one, TimeMetric::Step).seconds / slow, 1, 0.1);
    EXPECT_GT(fit.foresee(neighbour, TimeMetric::Step).seconds, 1.2 * before);
}

TEST(PublishedTimes, RoundTripAndRefuseDamage) {
    const PublishedTime row = testing::v7xStep({.ulysses = 2, .ring = 2});
    const std::vector<PublishedTime> again = parsePublishedTimes(publishedTimesCsv({row}), "t.csv");
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again.front().blockQ, row.blockQ);
    EXPECT_EQ(again.front().attention, row.attention);
    const auto refusal = [](const char* text) {
        return testing::refusalOf(ErrorKind::Input, [text] { parsePublishedTimes(text, "t.csv"); });
    };
    EXPECT_THAT(refusal("id,hardware,metric\n1,H100,e2e\n"), testing::Names("seconds"));
    EXPECT_THAT(refusal("id,hardware,metric,seconds\n1,H100,e2e,-3\n"), testing::Names("-3"));
    EXPECT_THAT(refusal("id,hardware,metric,seconds,width\n1,H100,e2e,3,wide\n"),
                ::testing::AllOf(testing::At("t.csv:2"), testing::Names("wide", "width")));
}

}  // namespace
}  // namespace meshreel
