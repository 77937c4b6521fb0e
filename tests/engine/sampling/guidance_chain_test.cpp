// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "engine/base/error.h"
#include "engine/sampling/guidance.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using testing::randomTensor;

std::vector<float> valuesOf(const Tensor& tensor) {
    return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

GuidedPasses chainOf(const std::vector<double>& scales) {
    GuidedPasses passes;
    for (const double scale : scales)
        passes.push_back({.hearsPrompt = passes.empty(), .groups = 0, .scale = scale});
    return passes;
}

TEST(GuidanceChain, OfOneToThreePassesIsWhatItWas) {
    const std::vector<Tensor> of{randomTensor({5}, 1), randomTensor({5}, 2), randomTensor({5}, 3)};
    EXPECT_EQ(valuesOf(guide(std::vector{of[0]}, chainOf({4}))), valuesOf(of[0]));
    EXPECT_EQ(valuesOf(guide(std::vector{of[0], of[1]}, chainOf({4, 1}))), valuesOf(guide(of[0], of[1], 4)));
    EXPECT_EQ(valuesOf(guide(of, chainOf({7.5, 5, 1}))), valuesOf(guide(of[0], of[1], of[2], 7.5, 5)));
}

TEST(GuidanceChain, OfFourIsTheSumOfTheirWeights) {
    const std::vector<Tensor> of{randomTensor({5}, 1), randomTensor({5}, 2), randomTensor({5}, 3),
                                 randomTensor({5}, 4)};
    const auto guided = valuesOf(guide(of, chainOf({4, 4.5, 1.25, 1})));
    for (std::size_t i = 0; i < guided.size(); ++i) {
        const auto at = [&](std::size_t pass) { return double{of[pass].data<float>()[i]}; };
        EXPECT_NEAR(guided[i], (1 - 1.25) * at(3) + (1.25 - 4.5) * at(2) + (4.5 - 4) * at(1) + 4 * at(0),
                    1e-5);
    }
}

TEST(GuidanceChain, NeedsAPredictionOfEachPass) {
    const std::vector<Tensor> of{randomTensor({5}, 1), randomTensor({5}, 2)};
    EXPECT_THROW(static_cast<void>(guide(of, chainOf({4, 4.5, 1}))), Error);
    EXPECT_THROW(static_cast<void>(guide(std::vector<Tensor>(), {})), Error);
}

}  // namespace
}  // namespace meshreel
