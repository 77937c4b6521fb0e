// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// One way to compute custom and flash attention.
struct AttentionCandidate {
    KernelCandidate kernel;
    TileAttentionFunction inTiles = nullptr;  ///< for bf16 rows; null: panels, for rows of any type
};

/// Returns the best first.
std::span<const AttentionCandidate> attentionCandidates();

/// Returns the function that computes attention to bf16 rows in tiles on this machine; null when they run in
/// panels.
TileAttentionFunction tileAttention();

}  // namespace meshreel
