// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/base/csv.h"
#include "engine/base/record_json.h"

namespace meshreel {
namespace {

enum class Size { Small, Large };

struct Parcel {
    std::string label;
    std::int64_t grams = 0;
    double price = 0;
    Size size = Size::Small;
    int floors = 7;

    static constexpr auto fields() {
        return std::tuple(field("label", &Parcel::label), field("grams", &Parcel::grams),
                          field("price", &Parcel::price), laterField("size", &Parcel::size),
                          laterField("floors", &Parcel::floors));
    }

    friend bool operator==(const Parcel&, const Parcel&) = default;
};

struct Shelf {
    std::vector<Parcel> parcels;
    std::optional<double> height;
    std::filesystem::path place;

    static constexpr auto fields() {
        return std::tuple(field("parcels", &Shelf::parcels), field("height", &Shelf::height),
                          field("place", &Shelf::place));
    }
};

}  // namespace

template <>
struct EnumNames<Size> {
    static constexpr std::array<std::string_view, 2> names{"small", "large, \"tall\""};
};

namespace {

const std::vector<Parcel> hostileParcels{
    {"a,b", std::numeric_limits<std::int64_t>::min(), 0.1, Size::Large, -1},
    {"\"quoted\"", std::numeric_limits<std::int64_t>::max(), 5e-324, Size::Small, 0},
    {"two\nlines\r\n", 0, -std::numeric_limits<double>::infinity(), Size::Large, 1},
    {"", 1, std::numeric_limits<double>::max(), Size::Small, 2},
    {" spaces ", 2, 1.0 / 3, Size::Small, 3},
};

CsvReader parcelReader(std::string_view text) {
    return {text, "parcels.csv", "Restore it"};
}

std::vector<Parcel> parsed(const std::string& text) {
    CsvReader table = parcelReader(text);
    EXPECT_TRUE(hasColumns<Parcel>(table));
    std::vector<Parcel> parcels;
    while (table.next())
        parcels.push_back(takeRow<Parcel>(table));
    return parcels;
}

TEST(Record, KnowsItsFields) {
    static_assert(Record<Parcel> && !Record<std::string> && fieldCount<Parcel> == 5);
    EXPECT_THAT(fieldNames<Parcel>(), ::testing::ElementsAre("label", "grams", "price", "size", "floors"));
    EXPECT_EQ(enumNamed<Size>("small"), Size::Small);
    EXPECT_EQ(enumNamed<Size>("Small"), std::nullopt);
}

TEST(RecordCsv, HostileValuesReadBackExactly) {
    std::string text = csvHeader<Parcel>() + "\n";
    for (const Parcel& parcel : hostileParcels)
        text += csvRow(parcel) + "\n";
    EXPECT_EQ(parsed(text), hostileParcels);
}

TEST(RecordCsv, ColumnsThatEarlierVersionsDidNotWriteHaveTheirDefaults) {
    EXPECT_EQ(parsed("label,grams,price\nx,1,2\n"),
              (std::vector<Parcel>{{.label = "x", .grams = 1, .price = 2}}));
    EXPECT_EQ(parsed("label,grams,price,size\nx,1,2,small\n").front().floors, 7);
}

TEST(RecordCsv, OtherColumnsAndValuesAreRefused) {
    for (const char* header : {"", "label,grams", "label,grams,price,floors", "grams,label,price",
                               "label,grams,price,size,floors,more"})
        EXPECT_FALSE(hasColumns<Parcel>(parcelReader(header))) << header;
    for (const char* row : {"x,1.5,2,small,1", "x,,2,small,1", "x,1,two,small,1", "x,1,2,huge,1",
                            "x,9223372036854775808,2,small,1", "x,1,2,small,1 "}) {
        const std::string text = csvHeader<Parcel>() + "\n" + row + "\n";
        CsvReader table = parcelReader(text);
        ASSERT_TRUE(table.next());
        EXPECT_THROW(static_cast<void>(takeRow<Parcel>(table)), Error) << row;
    }
}

TEST(RecordCsv, ARecordStandsBehindColumnsOfTheTable) {
    CsvReader table = parcelReader("shelf,label,grams,price\n3,x,1,2\n");
    EXPECT_TRUE(hasColumns<Parcel>(table, 1));
    EXPECT_FALSE(hasColumns<Parcel>(table, 0));
    EXPECT_FALSE(hasColumns<Parcel>(table, 9));
    ASSERT_TRUE(table.next());
    EXPECT_EQ(takeRow<Parcel>(table, 1).label, "x");
}

TEST(RecordJson, NestedRecordsReadBack) {
    RecordJson object;
    std::vector<Parcel> finite = hostileParcels;
    finite[2].price = 0;  // JSON knows no infinity
    putFields(object, Shelf{finite, 1.5, "/a \"b\""});
    const auto back = takeFields<Shelf>(RecordJson::parse(object.dump()));
    EXPECT_EQ(back.parcels, finite);
    EXPECT_EQ(back.height, 1.5);
    EXPECT_EQ(back.place, "/a \"b\"");
}

TEST(RecordJson, UnknownKeysArePassedOverAndMissingOnesRefused) {
    const auto parcel = takeFields<Parcel>(
        RecordJson::parse(R"({"more": [1], "price": 2, "label": "x", "grams": 1, "size": "enormous"})"));
    EXPECT_EQ(parcel, (Parcel{.label = "x", .grams = 1, .price = 2}));
    EXPECT_THROW(takeFields<Parcel>(RecordJson::parse(R"({"label": "x", "price": 2})")),
                 RecordJson::exception);
    EXPECT_THROW(takeFields<Parcel>(RecordJson::parse(R"({"label": 1, "grams": 1, "price": 2})")),
                 RecordJson::exception);
    EXPECT_THROW(takeFields<Shelf>(RecordJson::parse(R"({"parcels": 3, "height": null, "place": ""})")),
                 RecordJson::exception);
}

}  // namespace
}  // namespace meshreel
