// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/weights/cache/cache_folder.h"

namespace meshreel {

/// What is kept from one run for the next ones; all of it can be made again.
struct Caches {
    CacheFolder prompts;   ///< see PromptCache
    CacheFolder weights;   ///< see PackedWeightStore
    CacheFolder previews;  ///< see PreviewCache
};

/// "prompts", "weights" and "previews" of userCacheFolder(). The limit of the weights is
/// MESHREEL_WEIGHT_CACHE_GIB (0: nothing is kept), else 40 GB or half of what the disk has for them,
/// whichever is less. Throws Error{Project} when the variable is no number.
Caches userCaches();

}  // namespace meshreel
