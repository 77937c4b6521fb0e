// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "engine/attention/attention_mode.h"
#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

/// Block sizes that are known to be good somewhere, to start from.
struct BlockPreset {
    std::string_view name;                ///< the hardware, and what the sizes were found for
    std::string_view source;              ///< where they were published; empty for this machine's own
    FlashBlockSizes sizes;                ///< all of them: what was not published has its default
    bool (*suits)(const AttentionMode&);  ///< whether the mode's kernel is the one they were found for
    std::string_view otherwise;           ///< one sentence for the modes that they do not suit, with the fix
};

/// Returns the presets in display order: first this machine's, then those published for accelerators.
std::span<const BlockPreset> blockPresets();

}  // namespace meshreel
