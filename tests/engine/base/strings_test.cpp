// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/strings.h"

#include <gtest/gtest.h>

#include <array>

namespace meshreel {
namespace {

TEST(Strings, EditDistance) {
    EXPECT_EQ(editDistance("", "abc"), 3U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
    EXPECT_EQ(editDistance("same", "same"), 0U);
}

TEST(Strings, NearestNameKnowsWhenNothingIsNear) {
    const std::array<std::string_view, 3> keys = {"guidance_scale", "height", "num_frames"};
    EXPECT_EQ(nearestName("guidence_scale", keys), "guidance_scale");
    EXPECT_EQ(nearestName("heigth", keys), "height");
    EXPECT_EQ(nearestName("learning_rate", keys), "");
}

TEST(Strings, FormatBytes) {
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(1536), "1.5 KiB");
    EXPECT_EQ(formatBytes(std::size_t{3} << 30), "3.0 GiB");
}

}  // namespace
}  // namespace meshreel
