// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/video_segments.h"

#include <algorithm>

namespace meshreel {

VideoSegments segmentsOf(std::int64_t videoFrames, std::int64_t frames, std::int64_t overlap) {
    const std::int64_t own = frames - overlap;
    const std::int64_t rest = std::max<std::int64_t>(videoFrames - overlap, 1);
    return {.count = static_cast<int>((rest + own - 1) / own), .frames = frames, .overlap = overlap};
}

std::vector<std::int64_t> reflectedFrames(std::int64_t length, std::int64_t wanted) {
    std::vector<std::int64_t> frames;
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (length - 1));
    for (std::int64_t frame = 0; frame < wanted; ++frame) {
        const std::int64_t place = frame % period;
        frames.push_back(place < length ? place : period - place);
    }
    return frames;
}

}  // namespace meshreel
