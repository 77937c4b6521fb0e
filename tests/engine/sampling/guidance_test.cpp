// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/guidance.h"
#include "engine/sampling/step_caches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

TEST(Guide, GoesFromTheUnconditionedThroughTheConditioned) {
    const Tensor cond = Tensor::from({2}, std::vector<float>{2.0F, -1.0F});
    const Tensor uncond = Tensor::from({2}, std::vector<float>{1.0F, 1.0F});
    EXPECT_THAT(guide(cond, uncond, 5.0).data<float>(), ::testing::ElementsAre(6.0F, -9.0F));
    EXPECT_THAT(guide(cond, uncond, 1.0).data<float>(), ::testing::ElementsAre(2.0F, -1.0F));
    EXPECT_THROW(guide(cond, cond.reshaped({1, 2}), 1.0), Error);
}

}  // namespace
}  // namespace meshreel
