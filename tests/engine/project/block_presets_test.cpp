// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/block_presets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/attention/attention_mode.h"
#include "engine/attention/block_sizes.h"
#include "engine/project/attention_check.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t headDim = 128;

bool suitsSome(const BlockPreset& preset) {
    return std::ranges::any_of(attentionModes(), preset.suits);
}

TEST(BlockPresets, AreLegalAndKeepToTheirOwnScratchLimit) {
    for (const BlockPreset& preset : blockPresets()) {
        SCOPED_TRACE(preset.name);
        const FlashBlockSizes resolved = resolveFlashBlocks(preset.sizes);
        EXPECT_NO_THROW(requireScratchLimit(resolved, headDim));
        EXPECT_LE(preset.sizes.blockKvComputeIn, std::max<std::int64_t>(0, preset.sizes.blockKvCompute));
    }
}

TEST(BlockPresets, BeginWithThisMachineAndNameTheSourcesOfAllOthers) {
    EXPECT_EQ(blockPresets().front().sizes, FlashBlockSizes{});
    std::set<std::string_view> names;
    for (const BlockPreset& preset : blockPresets()) {
        EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
        EXPECT_EQ(preset.source.empty(), &preset == &blockPresets().front()) << preset.name;
        EXPECT_FALSE(preset.otherwise.empty()) << preset.name;
    }
}

TEST(BlockPresets, SuitSomeModesAndNoneWithoutBlocks) {
    for (const BlockPreset& preset : blockPresets()) {
        SCOPED_TRACE(preset.name);
        EXPECT_TRUE(suitsSome(preset));
        EXPECT_FALSE(preset.suits(*findAttentionMode("dot_product")));
        EXPECT_FALSE(preset.suits(*findAttentionMode("cudnn_flash_te")));
        for (const AttentionMode& mode : attentionModes()) {
            const bool custom =
                mode.kernel == AttentionKernel::Custom || mode.kernel == AttentionKernel::CustomFixedM;
            // Only the custom kernels have a limit, and a softmax step of their own.
            if (preset.suits(mode) && preset.sizes.vmemLimitBytes > 0) {
                EXPECT_TRUE(custom) << mode.name;
            }
        }
    }
}

// What a mode is told to choose instead suits.
TEST(BlockPresets, FixesNameModesThatSuit) {
    for (const BlockPreset& preset : blockPresets()) {
        std::istringstream words(
            std::string(preset.otherwise.substr(preset.otherwise.find("choose ") + std::size("choose"))));
        int named = 0;
        for (std::string word; words >> word;) {
            const AttentionMode* mode = findAttentionMode(word.substr(0, word.find(',')));
            if (mode == nullptr)
                continue;
            ++named;
            EXPECT_TRUE(preset.suits(*mode)) << preset.name << ": " << word;
        }
        EXPECT_GT(named, 0) << preset.name;
    }
}

TEST(BlockPresets, StandInTheGuide) {
    std::ostringstream guide;
    guide << std::ifstream(testing::sourceFolder() / "docs/attention.md").rdbuf();
    for (const BlockPreset& preset : blockPresets()) {
        const FlashBlockSizes& sizes = preset.sizes;
        EXPECT_THAT(guide.str(), HasSubstr(fmt::format("\n| {} | {} | {} | {} | {} | {} |", preset.name,
                                                       sizes.blockQ, sizes.blockKv, sizes.blockKvCompute,
                                                       sizes.blockKvComputeIn, sizes.vmemLimitBytes)));
        EXPECT_THAT(guide.str(), HasSubstr(std::string(preset.source)));
    }
}

}  // namespace
}  // namespace meshreel
