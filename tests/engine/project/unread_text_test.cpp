// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/unread_text.h"

#include <gtest/gtest.h>

#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

TEST(UnreadText, IsAProjectWhereALineBeginsWithTheNameOfAKey) {
    EXPECT_TRUE(namesAKey("# mine\nprompt: [\n"));
    EXPECT_TRUE(namesAKey("flash_block_sizes:\n  block_q: \"\n"));
    EXPECT_FALSE(namesAKey("dear friend: [\n"));
    EXPECT_FALSE(namesAKey("the prompt: [\nprompts: [\n"));
    EXPECT_FALSE(namesAKey(""));
}

TEST(UnreadText, TakesAValueInTheLineOfItsKey) {
    const ProjectKey& seed = *findProjectKey("seed");
    EXPECT_EQ(withKeyLine("prompt: [\nseed: 3  # lucky\n", seed, "4"), "prompt: [\nseed: 4  # lucky\n");
    EXPECT_EQ(withKeyLine("prompt: [\n  seed: 3", seed, "4"), "prompt: [\n  seed: 3\nseed: 4\n");
}

TEST(UnreadText, FindsKeysInTheirGroupOnly) {
    const ProjectKey& blockQ = *findProjectKey("flash_block_sizes.block_q");
    EXPECT_EQ(withKeyLine("a: [\nflash_block_sizes:\n  # rows\n  block_q: 64\nseed: 1\n", blockQ, "128"),
              "a: [\nflash_block_sizes:\n  # rows\n  block_q: 128\nseed: 1\n");
    EXPECT_EQ(withKeyLine("parts:\n  block_q: 64\na: [\n", blockQ, "128"),
              "parts:\n  block_q: 64\na: [\nflash_block_sizes.block_q: 128\n");
}

}  // namespace
}  // namespace meshreel
