// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/base/error.h"
#include "engine/estimates/video_shape.h"

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

using ::testing::ElementsAre;

TEST(VideoSegments, CoverTheVideo) {
    const VideoSegments two = planSegments(121, 77, 1);
    EXPECT_EQ(two.count, 2);
    EXPECT_EQ(two.covered(), 153);
    EXPECT_EQ(two.firstFrame(1), 76);
    EXPECT_EQ(planSegments(77, 77, 1).count, 1);
    EXPECT_EQ(planSegments(78, 77, 1).count, 2);
    EXPECT_EQ(planSegments(5, 77, 5).count, 1);
    EXPECT_EQ(planSegments(1, 77, 1).count, 1);
    for (std::int64_t frames = 1; frames < 400; frames += 4)
        for (const std::int64_t overlap : {1, 5}) {
            const VideoSegments segments = planSegments(frames, 77, overlap);
            EXPECT_GE(segments.covered(), frames);
            EXPECT_LT(segments.firstFrame(segments.count - 1), std::max<std::int64_t>(frames, 1));
        }
}

TEST(VideoSegments, ClipsAfterASoundFollowEachOther) {
    EXPECT_EQ(planSpeechClips(1).count, 1);
    EXPECT_EQ(planSpeechClips(77).count, 1);
    EXPECT_EQ(planSpeechClips(77).covered(), 77);
    const VideoSegments two = planSpeechClips(81);
    EXPECT_EQ(two.count, 2);
    EXPECT_EQ(two.covered(), 157);
    EXPECT_EQ(two.firstFrame(0), -3) << "frames that are not shown";
    EXPECT_EQ(two.firstFrame(1), 77);
}

TEST(VideoSegments, FramesBehindTheEndComeBack) {
    EXPECT_THAT(reflectedFrames(5, 10), ElementsAre(0, 1, 2, 3, 4, 3, 2, 1, 0, 1));
    EXPECT_THAT(reflectedFrames(3, 2), ElementsAre(0, 1));
    EXPECT_THAT(reflectedFrames(2, 5), ElementsAre(0, 1, 0, 1, 0));
    EXPECT_THAT(reflectedFrames(1, 3), ElementsAre(0, 0, 0));
}

}  // namespace

}  // namespace meshreel
