// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/evaluation_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "drawn_clip.h"
#include "engine/base/error.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

class EvaluationFolderTest : public ::testing::Test {
  protected:
    testing::TemporaryFolder m_temporary;
    fs::path m_path = m_temporary / "evaluation";
    EvaluationSettings m_settings{.model = MESHREEL_SOURCE_DIR "/resources/models/tiny-wan-t2v"};
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

TEST_F(EvaluationFolderTest, AModelThatIsNotThereIsToldFirst) {
    EXPECT_THROW(EvaluationFolder(m_path, {.model = "no-such-model"}), Error);
    EXPECT_FALSE(fs::exists(m_path));
}

}  // namespace
}  // namespace meshreel
