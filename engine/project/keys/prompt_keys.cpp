// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> promptKeys() {
    return {
        {.name = "prompt",
         .member = &Project::prompt,
         .section = "Prompt",
         .title = "Prompt",
         .help = "What the video should show.",
         .level = KeyLevel::Basic,
         .form = TextForm::Paragraph},
        {.name = "negative_prompt",
         .member = &Project::negativePrompt,
         .section = "Prompt",
         .title = "Negative prompt",
         .help = "What guidance steers away from; used when guidance_scale is above 1.",
         .level = KeyLevel::Basic,
         .form = TextForm::Paragraph},
        {.name = "max_sequence_length",
         .member = &Project::maxSequenceLength,
         .section = "Prompt",
         .title = "Text length",
         .help = "Tokens that a prompt is cut or padded to; Wan models were trained with 512.",
         .unit = "tokens",
         .range = IntegerRange{.minimum = 1, .maximum = 4096}},
        {.name = "batch_prompts",
         .member = &Project::batchPrompts,
         .section = "Prompt",
         .title = "Prompts of a batch",
         .help = "Makes several videos in one run: a prompt on each line, in place of prompt.",
         .form = TextForm::Paragraph},
        {.name = "batch_seeds",
         .member = &Project::batchSeeds,
         .section = "Prompt",
         .title = "Seeds of a batch",
         .help = "Makes every prompt's video once with each of these seeds, separated by commas, in place of "
                 "seed; -1 is a random one.",
         .form = TextForm::Numbers},
    };
}

}  // namespace meshreel
