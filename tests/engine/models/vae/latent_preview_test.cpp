// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/latent_preview.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "engine/base/json_file.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

WanVae previewVae() {
    const auto folder = testing::sourceFolder() / "resources/models/tiny-wan-t2v/vae";
    return {WanVaeConfig::fromJson(readJsonObject(folder / "config.json"), "config.json"),
            Checkpoint::open(folder)};
}

/// A disc of one colour moving over another.
Tensor movingDisc(std::int64_t frames, std::int64_t side) {
    constexpr float disc[] = {0.8F, -0.5F, -0.6F};
    constexpr float ground[] = {-0.7F, -0.2F, 0.5F};
    Tensor video = Tensor::empty({1, 3, frames, side, side});
    float* to = video.data<float>().data();
    for (const int colour : {0, 1, 2})
        for (std::int64_t frame = 0; frame < frames; ++frame)
            for (std::int64_t y = 0; y < side; ++y)
                for (std::int64_t x = 0; x < side; ++x)
                    *to++ = std::hypot(static_cast<double>(x - 20 - 3 * frame), static_cast<double>(y - 30)) <
                                    16.0
                                ? disc[colour]
                                : ground[colour];
    return video;
}

class LatentPreviewTest : public ::testing::Test {
  protected:
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
    WanVae vae = previewVae();
    LatentPreview preview = LatentPreview::fit(execution, vae);
};

TEST_F(LatentPreviewTest, ShowsTheColoursOfAnEncodedClip) {
    constexpr std::int64_t side = 64;
    const Tensor video = movingDisc(5, side);
    const Tensor latents = vae.normalize(vae.encode(execution, video).mean);
    const Tensor frames = preview.frames(latents, 8);
    ASSERT_EQ(frames.shape(), (Shape{2, side, side, 3}));
    // The first latent frame stands for the first video frame alone.
    double error = 0.0;
    for (std::size_t pixel = 0; pixel < side * side; ++pixel)
        for (std::size_t colour = 0; colour < 3; ++colour) {
            const float value = video.data<float>()[colour * 5 * side * side + pixel];
            const auto expected = static_cast<int>((value * 0.5F + 0.5F) * 255.0F);
            error += std::abs(expected - static_cast<int>(frames.data<std::uint8_t>()[pixel * 3 + colour]));
        }
    constexpr double levels = 25.0;  // of 255 on average: blurred edges, true colours
    EXPECT_LT(error / static_cast<double>(side * side * 3), levels);
}

TEST_F(LatentPreviewTest, FollowsTheRequestedScale) {
    const Tensor latents = Tensor::zeros({1, vae.config().zDim, 3, 2, 5});
    EXPECT_EQ(preview.frames(latents, 1).shape(), (Shape{3, 2, 5, 3}));
    EXPECT_EQ(preview.frames(latents).shape(), (Shape{3, 8, 20, 3}));
    EXPECT_EQ(preview.frames(latents).dtype(), DType::U8);
}

TEST_F(LatentPreviewTest, RefusesLatentsOfAnotherModel) {
    EXPECT_THROW(static_cast<void>(preview.frames(Tensor::zeros({1, 4, 1, 2, 2}))), Error);
    EXPECT_THROW(static_cast<void>(preview.frames(Tensor::zeros({2, vae.config().zDim, 1, 2, 2}))), Error);
}

}  // namespace
}  // namespace meshreel
