// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// One way to compute custom and flash attention.
struct AttentionCandidate {
    KernelCandidate kernel;
    TileAttentionFunction inTiles = nullptr;  ///< of bf16 rows; null: panels, of rows of any type
};

/// The best first.
std::span<const AttentionCandidate> attentionCandidates();

/// What bf16 rows are attended to with in tiles on this machine; null where they run in panels.
TileAttentionFunction tileAttention();

}  // namespace meshreel
