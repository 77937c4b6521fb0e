// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/data_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace meshreel {
namespace {

DataTable someTable() {
    return {
        .columns = {"run", "devices", "seconds"},
        .rows = {{std::string("a, \"b\""), std::int64_t{2}, 0.1}, {std::string("c"), std::int64_t{16}, {}}}};
}

TEST(DataTable, CsvQuotesAndReadsBackExactly) {
    EXPECT_EQ(csvOf(someTable()), "run,devices,seconds\n\"a, \"\"b\"\"\",2,0.1\nc,16,\n");
}

TEST(DataTable, JsonKeepsTypesAndNothing) {
    const auto json = nlohmann::json::parse(jsonOf(someTable()));
    EXPECT_EQ(json[0]["run"], "a, \"b\"");
    EXPECT_EQ(json[0]["devices"], 2);
    EXPECT_TRUE(json[1]["seconds"].is_null());
}

TEST(DataTable, TextAlignsNumbersRight) {
    EXPECT_EQ(alignedText(someTable()),
              "run     devices  seconds\n"
              "a, \"b\"        2    0.100\n"
              "c            16        -\n");
}

}  // namespace
}  // namespace meshreel
