// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/video_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

using ::testing::ElementsAre;

TEST(VideoSegments, CoverTheVideo) {
    const VideoSegments two = segmentsOf(121, 77, 1);
    EXPECT_EQ(two.count, 2);
    EXPECT_EQ(two.covered(), 153);
    EXPECT_EQ(two.firstFrame(1), 76);
    EXPECT_EQ(segmentsOf(77, 77, 1).count, 1);
    EXPECT_EQ(segmentsOf(78, 77, 1).count, 2);
    EXPECT_EQ(segmentsOf(5, 77, 5).count, 1);
    EXPECT_EQ(segmentsOf(1, 77, 1).count, 1);
    for (std::int64_t frames = 1; frames < 400; frames += 4)
        for (const std::int64_t overlap : {1, 5}) {
            const VideoSegments segments = segmentsOf(frames, 77, overlap);
            EXPECT_GE(segments.covered(), frames);
            EXPECT_LT(segments.firstFrame(segments.count - 1), std::max<std::int64_t>(frames, 1));
        }
}

TEST(VideoSegments, FramesBehindTheEndComeBack) {
    EXPECT_THAT(reflectedFrames(5, 10), ElementsAre(0, 1, 2, 3, 4, 3, 2, 1, 0, 1));
    EXPECT_THAT(reflectedFrames(3, 2), ElementsAre(0, 1));
    EXPECT_THAT(reflectedFrames(2, 5), ElementsAre(0, 1, 0, 1, 0));
    EXPECT_THAT(reflectedFrames(1, 3), ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace meshreel
