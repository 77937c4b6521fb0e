// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/channel_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

class ChannelNormTest : public ::testing::Test {
  protected:
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

class ChannelNormWidths : public ChannelNormTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(ChannelNormWidths, EveryPixelHasTheNormOfItsGamma) {
    const std::size_t channels = GetParam();
    constexpr std::size_t pixels = 5;
    std::vector<float> x;
    std::vector<float> gamma;
    for (std::size_t index = 0; index < pixels * channels; ++index)
        x.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(index) + 0.1)));
    for (std::size_t channel = 0; channel < channels; ++channel)
        gamma.push_back(0.5F + 0.1F * static_cast<float>(channel));
    std::vector<float> plain(x.size());
    channelNorm(execution, x, gamma, nullptr, plain);
    std::vector<float> activated = x;
    channelNorm(execution, activated, gamma, silu, activated);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        double squares = 0.0;
        for (std::size_t channel = 0; channel < channels; ++channel)
            squares += std::pow(static_cast<double>(x[pixel * channels + channel]), 2);
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const std::size_t index = pixel * channels + channel;
            const double expected = static_cast<double>(x[index]) / std::sqrt(squares) *
                                    std::sqrt(static_cast<double>(channels)) *
                                    static_cast<double>(gamma[channel]);
            EXPECT_NEAR(static_cast<double>(plain[index]), expected, 1e-5);
            EXPECT_NEAR(static_cast<double>(activated[index]), expected / (1.0 + std::exp(-expected)), 1e-5);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Channels, ChannelNormWidths, ::testing::Values(1, 3, 16, 37));

TEST_F(ChannelNormTest, ZerosStayZeros) {
    std::vector<float> x(8, 0.0F);
    const std::vector<float> gamma(4, 2.0F);
    channelNorm(execution, x, gamma, nullptr, x);
    EXPECT_EQ(x, std::vector<float>(8, 0.0F));
}

TEST_F(ChannelNormTest, RefusesPartsOfPixels) {
    std::vector<float> x(7);
    const std::vector<float> gamma(4);
    EXPECT_THROW(channelNorm(execution, x, gamma, nullptr, x), Error);
}

}  // namespace
}  // namespace meshreel
