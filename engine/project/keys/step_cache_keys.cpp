// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> stepCacheKeys() {
    return {
        {.name = "use_cfg_cache",
         .member = &Project::useCfgCache,
         .section = "Step caches",
         .title = "CFG cache",
         .help =
             "Makes the negative prompt's half up from earlier steps in four of five steps of the middle; "
             "approximate."},
        {.name = "use_sen_cache",
         .member = &Project::useSenCache,
         .section = "Step caches",
         .title = "SenCache",
         .help = "Takes whole predictions over while the latents change little; for Wan 2.2's models of two "
                 "transformers; approximate."},
        {.name = "use_magcache",
         .member = &Project::useMagcache,
         .section = "Step caches",
         .title = "MagCache",
         .help = "Leaves the transformer's blocks out in steps where a curve measured before says that they "
                 "add what they added before; approximate."},
        {.name = "magcache_thresh",
         .member = &Project::magcacheThresh,
         .section = "Step caches",
         .title = "MagCache error",
         .help = "Error that MagCache may gather before a step is computed in full; 0 takes the curve's own.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "magcache_K",
         .member = &Project::magcacheK,
         .section = "Step caches",
         .title = "MagCache in a row",
         .help = "Steps that MagCache leaves the blocks out of one after the other, at most.",
         .unit = "steps",
         .range = IntegerRange{.minimum = 0, .maximum = 1000}},
        {.name = "retention_ratio",
         .member = &Project::retentionRatio,
         .section = "Step caches",
         .title = "MagCache begins at",
         .help = "Part of a transformer's steps, at their beginning, that MagCache computes in full.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "mag_ratios_base",
         .member = &Project::magRatiosBase,
         .section = "Step caches",
         .title = "MagCache curve",
         .help = "The curve as numbers separated by commas, for each step the prompt's and the negative "
                 "prompt's; empty takes mag_ratios_file, or the one published for the model.",
         .form = TextForm::Numbers},
        {.name = "mag_ratios_file",
         .member = &Project::magRatiosFile,
         .section = "Step caches",
         .title = "MagCache curve file",
         .help = "Curve that meshreel calibrate magcache has measured; relative to the project's folder.",
         .form = TextForm::File},
        {.name = "use_teacache",
         .member = &Project::useTeacache,
         .section = "Step caches",
         .title = "TeaCache",
         .help = "Leaves the transformer's blocks out in steps whose time is nearly that of the step before, "
                 "after a published fit; approximate."},
        {.name = "teacache_thresh",
         .member = &Project::teacacheThresh,
         .section = "Step caches",
         .title = "TeaCache change",
         .help =
             "Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes "
             "the model's own.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "teacache_coefficients",
         .member = &Project::teacacheCoefficients,
         .section = "Step caches",
         .title = "TeaCache fit",
         .help =
             "Polynomial from the time embedding's change to the prediction's, highest power first; empty "
             "takes the one published for the model.",
         .form = TextForm::Numbers},
        {.name = "use_first_block_cache",
         .member = &Project::useFirstBlockCache,
         .section = "Step caches",
         .title = "First-block cache",
         .help = "Computes the transformer's first block and, where it adds nearly what it added before, "
                 "leaves the others out; approximate."},
        {.name = "first_block_threshold",
         .member = &Project::firstBlockThreshold,
         .section = "Step caches",
         .title = "First-block change",
         .help = "Relative change of what the first block adds up to which the others are left out.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "compare_with",
         .member = &Project::compareWith,
         .section = "Step caches",
         .title = "Compare with run",
         .help = "Folder of a finished run of the same size, usually without a cache: the run tells how far "
                 "its frames are from those (PSNR and SSIM).",
         .form = TextForm::File},
    };
}

}  // namespace meshreel
