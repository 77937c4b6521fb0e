// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/loop_seam.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace meshreel {
namespace {

/// Frames of two pixels, each of one level.
Tensor framesOfLevels(const std::vector<std::uint8_t>& levels) {
    std::vector<std::uint8_t> values;
    for (const std::uint8_t level : levels)
        values.insert(values.end(), 6, level);
    return Tensor::from({static_cast<std::int64_t>(levels.size()), 1, 2, 3}, values);
}

TEST(LoopSeam, IsMeasuredBesideNeighbours) {
    const LoopSeam jump = measureLoopSeam(framesOfLevels({0, 10, 20, 30, 40, 200}));
    EXPECT_EQ(jump.seam, 200);
    EXPECT_EQ(jump.neighbours, 10);
    const LoopSeam round = measureLoopSeam(framesOfLevels({0, 10, 20, 10}));
    EXPECT_EQ(round.seam, 10);
    EXPECT_EQ(round.neighbours, 10);
}

TEST(ClipSeam, IsBetweenTheLastFrameBeforeAndTheFirstNewOne) {
    const Tensor clip = framesOfLevels({10, 20, 30, 40, 50});
    const Tensor before = framesOfLevels({20}).reshaped({1, 2, 3});
    const ClipSeam seam = measureClipSeam(before, clip, 2);
    EXPECT_EQ(seam.joint, 10);
    EXPECT_EQ(seam.neighbours, 10);
    EXPECT_EQ(measureClipSeam(before, clip, 4).joint, 30);
    EXPECT_EQ(measureClipSeam(before, framesOfLevels({10}), 0).neighbours, 0);
}

}  // namespace
}  // namespace meshreel
