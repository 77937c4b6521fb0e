// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/channel_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "tests/support/printed_name.h"

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
    const auto width = static_cast<std::int64_t>(channels);
    const ChannelNorm norm(Tensor::from({width}, gamma));
    std::vector<float> activated = x;
    norm.apply(execution, {std::span<const float>(activated), width}, {std::span(activated), width});
    std::vector<float> plain(x.size());
    norm.followedBy(ChannelNorm::After::Nothing)
        .apply(execution, {std::span<const float>(x), width}, {std::span(plain), width});
    std::vector<BFloat16> rounded(x.size());
    norm.apply(execution, {std::span<const float>(x), width}, {std::span(rounded), width});
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
            EXPECT_EQ(rounded[index].bits, toBFloat16(activated[index]).bits);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Channels, ChannelNormWidths, ::testing::Values(1, 3, 16, 37),
                         testing::PrintedName());

TEST_F(ChannelNormTest, ZerosStayZeros) {
    std::vector<float> x(8, 0.0F);
    const ChannelNorm norm(Tensor::from({4}, std::vector<float>(4, 2.0F)));
    norm.apply(execution, {std::span<const float>(x), 4}, {std::span(x), 4});
    EXPECT_EQ(x, std::vector<float>(8, 0.0F));
}

TEST_F(ChannelNormTest, RefusesOtherWidths) {
    std::vector<float> x(8);
    const ChannelNorm norm(Tensor::zeros({4}));
    EXPECT_THROW(norm.apply(execution, {std::span<const float>(x), 2}, {std::span(x), 2}), Error);
    EXPECT_THROW(norm.apply(execution, {std::span<const float>(x).first(4), 4}, {std::span(x), 4}), Error);
}

}  // namespace
}  // namespace meshreel
