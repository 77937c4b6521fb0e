// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_writer.h"
#include "engine/project/key_choices.h"
#include "engine/project/keys/section_keys.h"

namespace meshreel {

namespace {

constexpr std::int64_t vaeStride = 8;
constexpr std::int64_t sizeStep = 2 * vaeStride;  // the transformer's patches are 2x2 latents
constexpr IntegerRange sizeRange{.minimum = sizeStep, .maximum = 4096, .step = sizeStep};

}  // namespace

std::vector<ProjectKey> videoKeys() {
    return {
        {.name = "height",
         .member = &Project::height,
         .section = "Video",
         .title = "Height",
         .help = "Height of the video.",
         .unit = "pixels",
         .range = sizeRange,
         .level = KeyLevel::Basic},
        {.name = "width",
         .member = &Project::width,
         .section = "Video",
         .title = "Width",
         .help = "Width of the video.",
         .unit = "pixels",
         .range = sizeRange,
         .level = KeyLevel::Basic},
        {.name = "num_frames",
         .member = &Project::numFrames,
         .section = "Video",
         .title = "Frames",
         .help = "Length of the video: a multiple of 4, plus 1.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 1, .maximum = 4001, .step = frameStep},
         .level = KeyLevel::Basic},
        {.name = "fps",
         .member = &Project::fps,
         .section = "Video",
         .title = "Frame rate",
         .help = "Speed at which the video plays; the frames themselves do not depend on it.",
         .unit = "frames per second",
         .range = RealRange{.minimum = 1, .maximum = 240},
         .level = KeyLevel::Basic},
        {.name = "video_format",
         .member = &Project::videoFormat,
         .section = "Video",
         .title = "File format",
         .help = "How the video is written.",
         .choices = formatChoices,
         .level = KeyLevel::Basic},
        {.name = "video_quality",
         .member = &Project::videoQuality,
         .section = "Video",
         .title = "Quality",
         .help = "Compression quality of the video file: 0 is smallest, 100 best.",
         .range = IntegerRange{.minimum = minVideoQuality, .maximum = maxVideoQuality}},
    };
}

}  // namespace meshreel
