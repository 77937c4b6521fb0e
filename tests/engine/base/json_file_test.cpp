// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/limits.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

std::string messageFor(const std::string& text) {
    try {
        static_cast<void>(parseJsonObject(text, "config.json", 4));
    } catch (const Error& error) {
        EXPECT_EQ(error.where(), "config.json");
        return error.message();
    }
    return "no error";
}

TEST(JsonFile, ReadsObjects) {
    EXPECT_EQ(parseJsonObject(R"({"a":{"x":1},"b":{"x":[2]}})", "config.json").at("b").at("x").at(0), 2);
}

TEST(JsonFile, RefusesWhatNlohmannWouldLetPass) {
    EXPECT_THAT(messageFor(R"({"a":1,"b":{"a":1,"a":2}})"), HasSubstr("'a' is given twice"));
    EXPECT_THAT(messageFor(R"({"a":[[[[]]]]})"), HasSubstr("deeper than 4"));
    EXPECT_THAT(messageFor("[]"), HasSubstr("type array"));
}

TEST(JsonFile, IsNestedNoDeeperThanTheTableOfLimitsSays) {
    const auto nested = [](std::uint64_t levels) {
        return R"({"a":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    };
    EXPECT_NO_THROW(parseJsonObject(nested(limitValue(Limit::JsonDepth)), "a.json"));
    EXPECT_THROW(parseJsonObject(nested(limitValue(Limit::JsonDepth) + 1), "a.json"), Error);
}

TEST(JsonFile, TellsWhereTheTextIsMalformed) {
    EXPECT_THAT(messageFor(R"({"a":})"), HasSubstr("byte 6"));
    EXPECT_THAT(messageFor(""), HasSubstr("not valid JSON"));
    EXPECT_THAT(messageFor(R"({"a":1e999})"), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace meshreel
