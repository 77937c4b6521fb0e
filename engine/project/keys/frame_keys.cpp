// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys/section_keys.h"

namespace meshreel {

namespace {

constexpr std::int64_t vaeStride = 8;
constexpr std::int64_t sizeStep = 2 * vaeStride;  // the transformer's patches are 2x2 latents
constexpr IntegerRange sizeRange{.minimum = sizeStep, .maximum = 4096, .step = sizeStep};

}  // namespace

std::vector<ProjectKey> frameKeys() {
    return {
        {.name = "height",
         .member = &Project::height,
         .section = "Frames",
         .title = "Height",
         .help = "Height of the video.",
         .unit = "pixels",
         .range = sizeRange,
         .level = KeyLevel::Basic},
        {.name = "width",
         .member = &Project::width,
         .section = "Frames",
         .title = "Width",
         .help = "Width of the video.",
         .unit = "pixels",
         .range = sizeRange,
         .level = KeyLevel::Basic},
        {.name = "num_frames",
         .member = &Project::numFrames,
         .section = "Frames",
         .title = "Frames",
         .help = "Length of the video: a multiple of 4, plus 1.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 1, .maximum = 4001, .step = frameStep},
         .level = KeyLevel::Basic},
        {.name = "fps",
         .member = &Project::fps,
         .section = "Frames",
         .title = "Frame rate",
         .help = "Speed at which the video plays, and at which a video that the task takes is sampled.",
         .unit = "frames per second",
         .range = RealRange{.minimum = 1, .maximum = 240},
         .level = KeyLevel::Basic},
    };
}

}  // namespace meshreel
