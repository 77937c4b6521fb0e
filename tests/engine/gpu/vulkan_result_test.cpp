// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/gpu/vulkan_library.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

TEST(VulkanResult, IsSpelledAsItsDocumentsSpellIt) {
    EXPECT_EQ(vulkanResultName(VK_ERROR_INITIALIZATION_FAILED), "VK_ERROR_INITIALIZATION_FAILED (-3)");
    EXPECT_EQ(vulkanResultName(VK_ERROR_FEATURE_NOT_PRESENT), "VK_ERROR_FEATURE_NOT_PRESENT (-8)");
    EXPECT_EQ(vulkanResultName(static_cast<VkResult>(-1'000'000'000)), "-1000000000");
    const testing::Refusal refused = testing::refusalOf(
        ErrorKind::Device, [] { requireVulkan(VK_ERROR_INITIALIZATION_FAILED, "vkCreateDevice"); });
    EXPECT_THAT(refused, testing::Names("vkCreateDevice", "VK_ERROR_INITIALIZATION_FAILED (-3)"));
}

}  // namespace
}  // namespace meshreel
