// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using testing::Names;

testing::Refusal jsonRefusal(const std::string& text) {
    const testing::Refusal refusal = testing::refusalOf(
        ErrorKind::Input, [&text] { static_cast<void>(parseJsonObject(text, "config.json", 4)); });
    EXPECT_EQ(refusal.where(), "config.json");
    return refusal;
}

TEST(JsonFile, ReadsObjects) {
    EXPECT_EQ(parseJsonObject(R"({"a":{"x":1},"b":{"x":[2]}})", "config.json").at("b").at("x").at(0), 2);
}

TEST(JsonFile, RefusesWhatNlohmannWouldLetPass) {
    const testing::Refusal twice = jsonRefusal(R"({"a":1,"b":{"a":1,"a":2}})");
    EXPECT_THAT(twice, Names("a"));
    const testing::Refusal deep = jsonRefusal(R"({"a":[[[[]]]]})");
    EXPECT_THAT(deep, Names("4"));
    const testing::Refusal list = jsonRefusal("[]");
    EXPECT_THAT(list, Names("array"));
    testing::expectFaults({{"twice", twice}, {"deep", deep}, {"no object", list}});
}

TEST(JsonFile, IsNestedNoDeeperThanTheTableOfLimitsSays) {
    const auto nested = [](std::uint64_t levels) {
        return R"({"a":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    };
    EXPECT_NO_THROW(parseJsonObject(nested(limitValue(Limit::JsonDepth)), "a.json"));
    EXPECT_THROW(parseJsonObject(nested(limitValue(Limit::JsonDepth) + 1), "a.json"), Error);
}

TEST(JsonFile, TellsWhereTheTextIsMalformed) {
    EXPECT_THAT(jsonRefusal(R"({"a":})"), Names("6"));
    EXPECT_THAT(jsonRefusal(""), Names("1"));
    EXPECT_TRUE(jsonRefusal(R"({"a":1e999})"));
}

}  // namespace
}  // namespace meshreel
