// SPDX-License-Identifier: GPL-3.0-or-later
// What the model says of published times whose source it does not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/foresight/foresight_check.h"
#include "engine/foresight/published_times.h"

namespace meshreel {
namespace {

/// The rows of one source, as the table has them.
std::vector<PublishedTime> rowsOfSource(const std::string& source) {
    std::vector<PublishedTime> rows = readPublishedTimes(publishedTimesFile());
    std::erase_if(rows, [&](const PublishedTime& row) { return row.source != source; });
    return rows;
}

/// A source with many rows that the fit sees, whose hardware others have measured, too.
std::string largeSource() {
    for (const PublishedTime& row : readPublishedTimes(publishedTimesFile()))
        if (row.use == "fit" && row.source.find("maxdiffusion PR #430") != std::string::npos)
            return row.source;
    return {};
}

TEST(UnknownSource, IsForeseenByTheOthers) {
    const std::vector<PublishedTime> rows = rowsOfSource(largeSource());
    ASSERT_GE(rows.size(), 5U);
    const std::vector<CheckedTime> unseen = checkTimesWithoutSource(rows);
    const std::vector<CheckedTime> seen = checkTimes(rows, readForesight());
    ASSERT_EQ(unseen.size(), rows.size());
    bool differs = false;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        EXPECT_EQ(unseen[row].row.id, rows[row].id) << "in their order";
        EXPECT_EQ(unseen[row].sourceLeftOut, rows[row].use != "no");
        EXPECT_EQ(unseen[row].foreseen.has_value(), seen[row].foreseen.has_value());
        if (unseen[row].foreseen)
            differs |= std::abs(unseen[row].foreseen->seconds / seen[row].foreseen->seconds - 1) > 1e-6;
    }
    EXPECT_TRUE(differs) << "its times were in the fit";
}

TEST(UnknownSource, OfNoFittedTimeChangesNothing) {
    std::vector<PublishedTime> rows = rowsOfSource(largeSource());
    ASSERT_FALSE(rows.empty());
    rows.resize(1);
    const double seen = checkTimes(rows, readForesight()).front().foreseen.value().seconds;
    rows.front().source = "nobody";
    EXPECT_NEAR(checkTimesWithoutSource(rows).front().foreseen.value().seconds / seen, 1, 1e-12);
}

TEST(UnknownSource, IsJudgedBySourceToo) {
    std::vector<PublishedTime> rows = rowsOfSource(largeSource());
    ASSERT_GE(rows.size(), 2U);
    rows.resize(2);
    rows[0].use = "fit";
    rows[1].use = "no";
    const Foresight foresight = readForesight();
    const auto summary = checkJson(checkTimesWithoutSource(rows), foresight).at("summary");
    EXPECT_EQ(summary.at("rows"), 1) << "a row that is no evidence is not judged";
    EXPECT_EQ(summary.at("by_source").size(), 1U);
    EXPECT_FALSE(checkJson(checkTimes(rows, foresight), foresight).at("summary").contains("by_source"));
    EXPECT_THAT(checkMarkdown(checkTimesWithoutSource(rows), foresight),
                ::testing::HasSubstr("| all, without their source | 1 of 1 |"));
}

}  // namespace
}  // namespace meshreel
