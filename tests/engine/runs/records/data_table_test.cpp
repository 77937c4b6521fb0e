// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/data_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/csv.h"

namespace meshreel {
namespace {

DataTable someTable() {
    return {
        .columns = {"run", "devices", "seconds"},
        .rows = {{std::string("a, \"b\""), std::int64_t{2}, 0.1}, {std::string("c"), std::int64_t{16}, {}}}};
}

TEST(DataTable, CsvQuotesAndReadsBackExactly) {
    EXPECT_EQ(toCsv(someTable()), "run,devices,seconds\n\"a, \"\"b\"\"\",2,0.1\nc,16,\n");
}

TEST(DataTable, CsvIsParsedAsItWasWritten) {
    std::mt19937 random(7);
    const std::string letters = "ab,\"\n\r";
    for (int round = 0; round < 200; ++round) {
        DataTable table{.columns = {"one", "two"}, .rows = {}};
        for (int row = 0; row < 3; ++row) {
            std::vector<DataCell> cells;
            for (int column = 0; column < 2; ++column) {
                std::string text = "x";  // a record of one empty field is no line at all
                for (auto length = random() % 5; length > 0; --length)
                    text += letters[random() % letters.size()];
                cells.emplace_back(text);
            }
            table.rows.push_back(cells);
        }
        const std::string text = toCsv(table);
        CsvReader reader(text, "table.csv", {});
        EXPECT_EQ(reader.columns(), table.columns);
        for (std::size_t row = 0; row < 3; ++row) {
            ASSERT_TRUE(reader.next());
            for (std::size_t column = 0; column < 2; ++column)
                EXPECT_EQ(DataCell(reader.fields()[column]), table.rows[row][column]);
        }
        EXPECT_FALSE(reader.next());
    }
}

TEST(DataTable, JsonKeepsTypesAndNothing) {
    const auto json = nlohmann::json::parse(makeJson(someTable()));
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
