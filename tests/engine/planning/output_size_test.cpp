// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/output_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t area480 = 480 * 832;
constexpr std::int64_t area704 = 704 * 1280;

TEST(OutputSize, AsUpstreamOfImagesInTheModelsOwnForm) {
    EXPECT_EQ(wanImageVideoSize({480, 832}, area480, 8, 2), (FrameSize{464, 832}));
    EXPECT_EQ(bestOutputSize({480, 832}, area704, 32), (FrameSize{704, 1248}));
    EXPECT_EQ(diffusersImageVideoSize({480, 832}, area480, 16), (FrameSize{480, 832}));
}

TEST(OutputSize, MultiplesWithinTheAreaInTheImagesForm) {
    std::mt19937 generator(1);
    std::uniform_int_distribution<std::int64_t> sides(64, 4096);
    for (int round = 0; round < 200; ++round) {
        const FrameSize image{sides(generator), sides(generator)};
        for (const std::int64_t step : {16, 32}) {
            const FrameSize best = bestOutputSize(image, area704, step);
            const FrameSize plain = diffusersImageVideoSize(image, area704, step);
            for (const FrameSize& size : {best, plain, wanImageVideoSize(image, area704, step / 2, 2)}) {
                EXPECT_EQ(size.height % step, 0);
                EXPECT_EQ(size.width % step, 0);
                EXPECT_LE(size.height * size.width, area704);
                const double form = static_cast<double>(image.height) / static_cast<double>(image.width);
                const double found = static_cast<double>(size.height) / static_cast<double>(size.width);
                const double off =
                    static_cast<double>(step) / static_cast<double>(std::min(size.height, size.width));
                EXPECT_LE(std::max(form / found, found / form), (1.0 + off) * (1.0 + off));
            }
        }
    }
}

TEST(OutputSize, ALineHasNoSize) {
    for (const FrameSize& image : {FrameSize{1, 4000}, FrameSize{4000, 1}}) {
        EXPECT_THROW(static_cast<void>(wanImageVideoSize(image, 100000, 8, 2)), Error);
        EXPECT_THROW(static_cast<void>(bestOutputSize(image, 1000, 32)), Error);
        EXPECT_THROW(static_cast<void>(diffusersImageVideoSize(image, 100000, 16)), Error);
    }
}

}  // namespace
}  // namespace meshreel
