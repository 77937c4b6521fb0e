// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/video_frames.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/worker_pool.h"

namespace meshreel {
namespace {

class Frames : public ::testing::Test {
  protected:
    WorkerPool workers{{.workers = 2}};
    Execution execution{workers, {}};
};

TEST_F(Frames, ScaleClipAndTruncate) {
    const std::vector<float> values{-1.0F, 0.0F,  1.0F, 0.5F,
                                    -0.5F, -1.5F, 2.0F, std::numeric_limits<float>::quiet_NaN()};
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<float> channels;
    for (int c = 0; c < 3; ++c)
        channels.insert(channels.end(), values.begin(), values.end());
    const Tensor frames = toFrames(execution, Tensor::from<float>({1, 3, 1, 1, count}, channels));
    const std::array<int, 8> expected{0, 127, 255, 191, 63, 0, 255, 0};
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(frames.data<std::uint8_t>()[3 * i], expected[i]) << values[i];
}

TEST_F(Frames, PutTheChannelLastAndKeepTheBatch) {
    constexpr std::int64_t batch = 2, channels = 3, time = 2, height = 3, width = 4;
    std::vector<float> values;
    for (int i = 0; i < batch * channels * time * height * width; ++i)
        values.push_back(static_cast<float>(i) / 72.0F - 1.0F);
    const Tensor frames =
        toFrames(execution, Tensor::from<float>({batch, channels, time, height, width}, values));
    ASSERT_EQ(frames.shape(), (Shape{batch, time, height, width, channels}));
    const auto at = [&](std::int64_t b, std::int64_t c, std::int64_t t, std::int64_t y, std::int64_t x) {
        return values[static_cast<std::size_t>((((b * channels + c) * time + t) * height + y) * width + x)];
    };
    const auto got = frames.data<std::uint8_t>();
    std::size_t i = 0;
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t t = 0; t < time; ++t)
            for (std::int64_t y = 0; y < height; ++y)
                for (std::int64_t x = 0; x < width; ++x)
                    for (std::int64_t c = 0; c < channels; ++c)
                        ASSERT_EQ(got[i++], static_cast<int>((at(b, c, t, y, x) / 2.0F + 0.5F) * 255.0F));
}

TEST_F(Frames, RefuseAnotherChannelCount) {
    EXPECT_THROW(toFrames(execution, Tensor::zeros({1, 4, 1, 2, 2})), Error);
}

}  // namespace
}  // namespace meshreel
