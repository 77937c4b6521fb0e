// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/held_out_prompts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace meshreel {
namespace {

std::filesystem::path fileHolding(const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "prompts.json";
    writeFileAtomically(file, text);
    return file;
}

TEST(HeldOutPrompts, TheShippedListIsBalancedAndAsksForNothingTwice) {
    const std::vector<HeldOutPrompt> prompts =
        readHeldOutPrompts(MESHREEL_SOURCE_DIR "/resources/evaluation/held-out-prompts.json");
    EXPECT_EQ(prompts.size(), 200U);
    std::set<std::tuple<std::string, std::string, std::string, std::string>> combinations;
    std::map<std::string, int> shapes;
    std::map<std::string, int> motions;
    for (const HeldOutPrompt& prompt : prompts) {
        combinations.emplace(prompt.shape, prompt.color, prompt.background, prompt.motion);
        ++shapes[prompt.shape];
        ++motions[prompt.motion];
        EXPECT_NE(prompt.color, prompt.background) << prompt.prompt;
    }
    EXPECT_EQ(combinations.size(), prompts.size());
    EXPECT_EQ(shapes.size(), 5U);
    EXPECT_EQ(motions.size(), 9U);
    for (const auto& [shape, count] : shapes)
        EXPECT_NEAR(count, 40, 4) << shape;
    for (const auto& [motion, count] : motions)
        EXPECT_NEAR(count, 22, 4) << motion;
}

TEST(HeldOutPrompts, WhatCannotBeMeasuredIsRefused) {
    const auto withShape = [](const std::string& shape) {
        return fileHolding(R"({"prompts": [{"prompt": "p", "shape": ")" + shape +
                           R"(", "color": "red", "background": "black", "motion": "left"}]})");
    };
    EXPECT_EQ(readHeldOutPrompts(withShape("ball")).size(), 1U);
    try {
        readHeldOutPrompts(withShape("whale"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(error.message().text().find("prompt 1 asks for \"whale\""), std::string::npos)
            << error.what();
    }
    EXPECT_THROW(readHeldOutPrompts(fileHolding(R"({"prompts": []})")), Error);
    EXPECT_THROW(readHeldOutPrompts(fileHolding(R"({"prompts": [{"prompt": "p"}]})")), Error);
    EXPECT_THROW(readHeldOutPrompts("/nowhere/prompts.json"), Error);
}

}  // namespace
}  // namespace meshreel
