// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/csv.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

CsvReader openReader(std::string_view text) {
    return {text, "table.csv", "Make it again"};
}

std::vector<std::vector<std::string>> rowsOf(std::string_view text) {
    CsvReader reader = openReader(text);
    std::vector<std::vector<std::string>> rows;
    while (reader.next())
        rows.push_back(reader.fields());
    return rows;
}

TEST(Csv, FieldsAreQuotedWhereTheyNeedIt) {
    EXPECT_EQ(csvField("a b"), "a b");
    EXPECT_EQ(csvField("a, \"b\"\n"), "\"a, \"\"b\"\"\n\"");
}

TEST(Csv, RowsEndAsTheyMay) {
    EXPECT_THAT(rowsOf("one,two\na,\r\n,b"), ElementsAre(ElementsAre("a", ""), ElementsAre("", "b")));
    EXPECT_THAT(rowsOf("one\n\"a\r\n\"\n"), ElementsAre(ElementsAre("a\r\n")));
    EXPECT_TRUE(rowsOf("").empty());
    EXPECT_TRUE(rowsOf("one,two\n").empty());
}

TEST(Csv, ColumnsAreKnownByTheirNames) {
    constexpr std::array<std::string_view, 2> names{"one", "two"};
    EXPECT_TRUE(openReader("one,two,three\n").beginsWith(names));
    EXPECT_FALSE(openReader("one\n").beginsWith(names));
    EXPECT_FALSE(openReader("two,one\n").beginsWith(names));
    EXPECT_FALSE(openReader("").beginsWith(names));
}

TEST(Csv, NumbersAreWholeFields) {
    CsvReader reader = openReader("one,two\n1e3,-7\n");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.number<double>(0), 1000);
    EXPECT_EQ(reader.number<std::int64_t>(1), -7);
    for (const char* text : {"one\n7 \n", "one\n\n", "one\n7.5\n", "one\nx\n"}) {
        CsvReader other = openReader(text);
        ASSERT_TRUE(other.next());
        EXPECT_THROW(static_cast<void>(other.number<int>(0)), Error) << text;
    }
}

TEST(Csv, ErrorsNameTheLine) {
    const auto whereOf = [](std::string_view text) {
        try {
            CsvReader reader = openReader(text);
            while (reader.next())
                static_cast<void>(reader.number<int>(0));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_EQ(error.hint().text(), "Make it again");
            return error.where();
        }
        return std::string();
    };
    EXPECT_EQ(whereOf("one,two\n1,\"a\nb\"\n2\n"), "table.csv:4");
    EXPECT_EQ(whereOf("one,two\n1,2\n3,\"4\n"), "table.csv:3");
    EXPECT_EQ(whereOf("one\n1\nx\n"), "table.csv:3");
    EXPECT_EQ(whereOf("\"one\n"), "table.csv:1");
}

TEST(Csv, NoFieldIsAFormulaAndEachComesBack) {
    for (const std::string text : {"=cmd|' /C calc'!A0", "+1+2", "-2+3", "@SUM(A1)", "\t=1", "=1,\"2\"", "-",
                                   "-1.5", "+", "'quoted'", "'=1", "''=1", "'=", "a=b", "1e-3", "--set"}) {
        const std::string field = csvField(text);
        const std::string shown = field.starts_with('"') ? field.substr(1) : field;
        const bool begins = shown.starts_with('=') || shown.starts_with('@') || shown.starts_with('\t') ||
                            (shown.size() > 1 && shown.front() == '+');
        EXPECT_FALSE(begins) << field;
        const std::string table = "column\n" + field + "\n";
        CsvReader reader = openReader(table);
        ASSERT_TRUE(reader.next());
        EXPECT_THAT(reader.fields(), ElementsAre(text));
    }
    EXPECT_EQ(csvField("=1"), "'=1");
    EXPECT_EQ(csvField("-1.5"), "-1.5") << "a number stays one";
}

}  // namespace
}  // namespace meshreel
