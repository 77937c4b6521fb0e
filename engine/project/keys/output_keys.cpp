// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_writer.h"
#include "engine/project/key_choices.h"
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> outputKeys() {
    return {
        {.name = "run_name",
         .member = &Project::name,
         .section = "Output",
         .title = "Name",
         .help = "What run folders are called after; empty takes the project file's name.",
         .level = KeyLevel::Basic},
        {.name = "video_format",
         .member = &Project::videoFormat,
         .section = "Output",
         .title = "File format",
         .help = "How the video is written.",
         .choices = formatChoices,
         .level = KeyLevel::Basic},
        {.name = "video_quality",
         .member = &Project::videoQuality,
         .section = "Output",
         .title = "Quality",
         .help = "Compression quality of the video file: 0 is smallest, 100 best.",
         .range = IntegerRange{.minimum = minVideoQuality, .maximum = maxVideoQuality}},
    };
}

}  // namespace meshreel
