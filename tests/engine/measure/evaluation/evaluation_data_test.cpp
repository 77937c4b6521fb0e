// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "drawn_clip.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/measure/evaluation/evaluation_data.h"
#include "engine/measure/evaluation/scene_clip.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

std::filesystem::path fileHolding(const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "prompts.json";
    writeFileAtomically(file, text);
    return file;
}

TEST(HeldOutPrompts, TheShippedListIsBalancedAndAsksForNothingTwice) {
    const std::vector<HeldOutPrompt> prompts =
        readHeldOutPrompts(testing::sourceFolder() / "resources/evaluation/held-out-prompts.json");
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
        EXPECT_THAT(error.problem(), testing::Names("1", "whale"));
    }
    EXPECT_THROW(readHeldOutPrompts(fileHolding(R"({"prompts": []})")), Error);
    EXPECT_THROW(readHeldOutPrompts(fileHolding(R"({"prompts": [{"prompt": "p"}]})")), Error);
    EXPECT_THROW(readHeldOutPrompts("/nowhere/prompts.json"), Error);
}

Tensor shownTwice(const Tensor& picture) {
    Tensor frames = Tensor::empty({2, picture.extent(0), picture.extent(1), 3}, DType::U8);
    const auto pixels = picture.data<std::uint8_t>();
    const auto to = frames.data<std::uint8_t>();
    std::ranges::copy(pixels, std::ranges::copy(pixels, to.begin()).out);
    return frames;
}

TEST(FirstFrames, EachShowsTheBackgroundOfItsPrompt) {
    const std::vector<HeldOutPrompt> prompts = readHeldOutPrompts(heldOutPromptsFile());
    const std::vector<Tensor> frames = readFirstFrames(firstFramesFile(), prompts.size());
    ASSERT_EQ(frames.size(), prompts.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        ASSERT_EQ(frames[i].shape(), (Shape{64, 64, 3}));
        EXPECT_EQ(PlainBackground(ClipPixels(shownTwice(frames[i]))).name(), prompts[i].background)
            << prompts[i].prompt;
    }
}

TEST(FirstFrames, ASheetOfTooFewIsRefused) {
    EXPECT_THROW((void)readFirstFrames(firstFramesFile(), 201), Error);
    EXPECT_THROW((void)readFirstFrames("no-such-sheet.png", 1), Error);
}

TEST(FirstFrames, OnlyModelsThatNeedOneGetOne) {
    EXPECT_FALSE(needsFirstFrame("tiny-wan-t2v"));
    EXPECT_TRUE(needsFirstFrame("tiny-wan-i2v"));
}

TEST(FirstFrames, WhatIsKeptIsMeasuredInDecibels) {
    const Tensor clip = testing::drawClip({});
    const Shape shape{clip.extent(1), clip.extent(2), 3};
    const Tensor first = clip.slice(0, 1).reshaped(shape);
    EXPECT_DOUBLE_EQ(*firstFrameKept(clip, first), 100.0);
    Tensor darker = Tensor::empty(shape, DType::U8);
    std::ranges::transform(
        first.data<std::uint8_t>(), darker.data<std::uint8_t>().begin(),
        [](std::uint8_t level) { return std::uint8_t(level >= 10 ? level - 10 : level + 10); });
    EXPECT_NEAR(*firstFrameKept(clip, darker), 28.13, 0.01);  // 20 log10(255 / 10)
    EXPECT_FALSE(firstFrameKept(clip, Tensor::zeros({8, 8, 3}, DType::U8)).has_value());
}

/// Every frame of one level: its number, plus `first`.
Tensor numberedFrames(std::int64_t frames, std::uint8_t first = 0) {
    Tensor clip = Tensor::empty({frames, 4, 6, 3}, DType::U8);
    for (std::int64_t t = 0; t < frames; ++t)
        std::ranges::fill(clip.slice(t, t + 1).data<std::uint8_t>(), static_cast<std::uint8_t>(first + t));
    return clip;
}

std::uint8_t levelAt(const Tensor& picture, std::int64_t y, std::int64_t x) {
    return picture.data<std::uint8_t>()[static_cast<std::size_t>((y * picture.extent(1) + x) * 3)];
}

TEST(ClipStrip, HoldsTheFramesSideBySide) {
    Tensor clip = numberedFrames(5);
    const Tensor strip = toStrip(clip);
    EXPECT_EQ(strip.shape(), Shape({4, 30, 3}));
    EXPECT_EQ(levelAt(strip, 3, 5), 0);
    EXPECT_EQ(levelAt(strip, 3, 6), 1);
    EXPECT_EQ(levelAt(strip, 0, 29), 4);
    const Tensor again = framesOf(strip, 5);
    EXPECT_EQ(again.shape(), clip.shape());
    EXPECT_TRUE(std::ranges::equal(again.data<std::uint8_t>(), clip.data<std::uint8_t>()));
    EXPECT_THROW(framesOf(strip, 4), Error);
}

TEST(ContactSheet, ShowsFirstAndLastFramesInTwoColumns) {
    const Tensor sheet =
        contactSheet({numberedFrames(17, 10), numberedFrames(17, 50), numberedFrames(17, 90)});
    EXPECT_EQ(sheet.shape(), Shape({4 + 4 + 4, 36 + 4 + 36, 3}));
    EXPECT_EQ(levelAt(sheet, 0, 0), 10);
    EXPECT_EQ(levelAt(sheet, 3, 35), 26);
    EXPECT_EQ(levelAt(sheet, 0, 37), 0);  // the gap
    EXPECT_EQ(levelAt(sheet, 0, 40), 50);
    EXPECT_EQ(levelAt(sheet, 8, 0), 90);
    EXPECT_EQ(levelAt(sheet, 8, 40), 0);  // there is no fourth
}

class EvaluationFolderTest : public ::testing::Test {
  protected:
    testing::TemporaryFolder m_temporary;
    fs::path m_path = m_temporary / "evaluation";
    EvaluationSettings m_settings{.model = testing::sourceFolder() / "resources/models/tiny-wan-t2v"};
    HeldOutPrompt m_prompt{"a red ball", "ball", "red", "black", "left"};
};

TEST_F(EvaluationFolderTest, KeepsVideosBitByBit) {
    const Tensor clip = testing::drawClip({});
    {
        const EvaluationFolder folder(m_path, m_settings);
        EXPECT_FALSE(folder.clip(3, m_prompt).has_value());
        folder.keepClip(3, m_prompt, clip);
    }
    const EvaluationFolder again(m_path, m_settings);
    const std::optional<Tensor> kept = again.clip(3, m_prompt);
    ASSERT_TRUE(kept.has_value());
    EXPECT_TRUE(std::ranges::equal(kept->data<std::uint8_t>(), clip.data<std::uint8_t>()));
}

TEST_F(EvaluationFolderTest, AVideoOfAnotherPromptIsNotTaken) {
    const EvaluationFolder folder(m_path, m_settings);
    folder.keepClip(3, m_prompt, testing::drawClip({}));
    HeldOutPrompt other = m_prompt;
    other.prompt = "a red star";
    EXPECT_FALSE(folder.clip(3, other).has_value());
    EXPECT_FALSE(folder.clip(4, m_prompt).has_value());
}

TEST_F(EvaluationFolderTest, OtherSettingsAreRefused) {
    const EvaluationFolder folder(m_path, m_settings);
    EvaluationSettings other = m_settings;
    other.steps = 4;
    try {
        const EvaluationFolder mixed(m_path, other);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(error.hint().text().find("--out"), std::string::npos);
    }
}

TEST_F(EvaluationFolderTest, AnotherMachineIsRefused) {
    { const EvaluationFolder begun(m_path, m_settings); }
    nlohmann::json machine = nlohmann::json::parse(readFile(m_path / "machine.json"));
    machine.at("cpu") = "another";
    writeFileAtomically(m_path / "machine.json", machine.dump());
    EXPECT_THROW(EvaluationFolder(m_path, m_settings), Error);
    fs::remove(m_path / "machine.json");
    EXPECT_TRUE(EvaluationFolder(m_path, m_settings).note().has_value());
    EXPECT_FALSE(EvaluationFolder(m_path, m_settings).note().has_value()) << "recorded now";
}

TEST_F(EvaluationFolderTest, APictureThatCannotBeReadIsSetAside) {
    const EvaluationFolder folder(m_path, m_settings);
    for (int time = 0; time < 2; ++time) {
        folder.keepClip(3, m_prompt, testing::drawClip({}));
        const fs::path picture = [&] {
            for (const auto& entry : fs::directory_iterator(m_path / "clips"))
                if (entry.path().string().find("damaged") == std::string::npos)
                    return entry.path();
            return fs::path();
        }();
        writeFileAtomically(picture, readFile(picture).substr(0, 40));
        EXPECT_THROW(static_cast<void>(folder.clip(3, m_prompt)), Error);
        EXPECT_TRUE(fs::exists(folder.setAside(3, m_prompt)));
        EXPECT_FALSE(folder.clip(3, m_prompt).has_value());
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(m_path / "clips"), {}), 2) << "under numbered names";
}

TEST_F(EvaluationFolderTest, AModelThatIsNotThereIsToldFirst) {
    EXPECT_THROW(EvaluationFolder(m_path, {.model = "no-such-model"}), Error);
    EXPECT_FALSE(fs::exists(m_path));
}

}  // namespace

}  // namespace meshreel
