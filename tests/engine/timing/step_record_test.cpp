// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

const StepRecord first{0, 999.0, 0.9996665716171265, 0.123456789012345, -4.5, 4.25, 1e-9};
const StepRecord second{1, 982.1428833007812, 1.0 / 3.0, 2.0, -3, 3, -0.1, 2, StepWork::NoBlocks};

TEST(StepRecord, EveryNumberReadsBackExactly) {
    const std::vector<StepRecord> records{first, second};
    EXPECT_EQ(parseStepCsv(stepCsv(records)), records);
}

/// Columns are never renamed or removed; later versions may add some at the end.
TEST(StepRecord, HeaderNamesTheColumns) {
    EXPECT_THAT(stepCsv({}), ::testing::StartsWith("step,timestep,sigma,seconds,min,max,mean,expert,work"));
    EXPECT_THAT(stepCsvRow({3, 500, 0.5, 1.25, -1, 1, 0}),
                ::testing::StartsWith("3,500,0.5,1.25,-1,1,0,1,full"));
}

TEST(StepRecord, RowsOfEarlierVersionsAreOfTheFirstExpert) {
    const auto read = parseStepCsv("step,timestep,sigma,seconds,min,max,mean\n3,500,0.5,1.25,-1,1,0\n");
    EXPECT_EQ(read, (std::vector<StepRecord>{{3, 500, 0.5, 1.25, -1, 1, 0}}));
    EXPECT_EQ(read.front().expert, 1);
}

TEST(StepRecord, RowsOfEarlierVersionsWereComputedInFull) {
    const auto read =
        parseStepCsv("step,timestep,sigma,seconds,min,max,mean,expert\n3,500,0.5,1.25,-1,1,0,2\n");
    EXPECT_EQ(read, (std::vector<StepRecord>{{3, 500, 0.5, 1.25, -1, 1, 0, 2}}));
    EXPECT_EQ(read.front().work, StepWork::Everything);
}

TEST(StepRecord, ALineCutShortIsNotARow) {
    const std::string text = stepCsv({first, second});
    EXPECT_EQ(parseStepCsv(std::string_view(text).substr(0, text.size() - 5)),
              std::vector<StepRecord>{first});
}

TEST(StepRecord, RefusesWhatIsNotARow) {
    const std::string oneTooMany = stepCsvRow({}) + ",9";
    for (const std::string& line : std::vector<std::string>{
             "", "1,2,3", "1,2,3,4,5,6,7,8,9", oneTooMany, "1,2,3,4,5,6,7,", "1,2,3,4,5,6,7,1.5",
             "1,2,3,4,5,6,7,8,", "1,2,3,4,5,6,x", "1.5,2,3,4,5,6,7", "1,2,3,4,5,6,7 "})
        EXPECT_THROW(parseStepCsvRow(line), Error) << line;
    EXPECT_THROW(parseStepCsv("time,step\n"), Error);
}

TEST(StepRecord, SecondsPerStepForPeople) {
    std::vector<StepRecord> records(12);
    for (int step = 0; step < 12; ++step) {
        records[static_cast<std::size_t>(step)].step = step;
        records[static_cast<std::size_t>(step)].seconds = step < 10 ? 1.0 : 2.5;
    }
    EXPECT_EQ(formatStepSeconds(records),
              "  Seconds per step: mean 1.250, least 1.000, most 2.500\n"
              "     1: 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000\n"
              "    11: 2.500 2.500\n");
    EXPECT_EQ(formatStepSeconds({}), "");
}

}  // namespace
}  // namespace meshreel
