// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace meshreel {

/// How a video is made of segments, each of which begins with the last frames of the one before.
struct VideoSegments {
    int count = 1;
    std::int64_t frames = 0;   ///< of each, in pixels
    std::int64_t overlap = 0;  ///< of these, from the one before

    /// Frames that all of them cover: those of the video, or a few more.
    [[nodiscard]] std::int64_t covered() const { return count * (frames - overlap) + overlap; }
    [[nodiscard]] std::int64_t firstFrame(int segment) const { return segment * (frames - overlap); }
};

/// As diffusers' Animate pipeline does. `frames` of a segment are more than its `overlap`.
VideoSegments segmentsOf(std::int64_t videoFrames, std::int64_t frames, std::int64_t overlap);

/// Which of `length` frames stand for `wanted` ones: there and back again, an end once.
std::vector<std::int64_t> reflectedFrames(std::int64_t length, std::int64_t wanted);

}  // namespace meshreel
