// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Attention of a single head that is wider than a transformer's, within each of some frames: the pixels of a
/// frame attend to each other.
struct WideAttention {
    std::int64_t frames = 1;
    MatrixView q = {};  ///< [frames · queries, width], f32
    MatrixView k = {};  ///< [frames · keys, width]
    MatrixView v = {};  ///< [frames · keys, width]
};

/// Computes y [frames · queries, width] = softmax(q·kᵀ/√width)·v of each frame, f32, in the memory of all of
/// them: the workers share the queries, or a GPU computes one frame after the other. Throws Error{Internal}
/// when the shapes do not fit, Error{Cancelled}.
void attendWidely(const Execution& execution, const WideAttention& attention, const MatrixSpan& y);

/// Scores, f32, of a frame that a GPU has at a time.
std::int64_t wideAttentionScores(std::int64_t queries, std::int64_t keys);

}  // namespace meshreel
