// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// How strongly attention to a negative prompt pushes attention to the prompt away: normalized attention
/// guidance (NAG; Chen et al., 2025, arXiv 2505.21179).
struct AttentionGuidance {
    float scale = 1;  ///< of the difference; 1: none
    float tau = 1;    ///< the guided row's norm is at most so many times the prompt's
    float alpha = 1;  ///< part of the guided row in the result

    [[nodiscard]] bool acts() const { return scale > 1; }

    friend bool operator==(const AttentionGuidance&, const AttentionGuidance&) = default;
};

/// For each row p of `prompt` and n of `negative` [rows, width], each f32 or bf16: with g = scale·p - (scale
/// - 1)·n and |·| the sum of absolute values over the row, computes g ·= tau·|p| / (|g| + 1e-7) where |g| /
/// |p| > tau, then p = alpha·g + (1 - alpha)·p, rounded to the type of `prompt`. Where a device holds `width`
/// of a row's columns, `norms` are |p| and |g| over all of them, for each row one after the other; else
/// empty. Throws Error{Internal} when sizes do not fit, and for `norms` of rows that lie in a device's
/// memory.
void guideAttention(const Execution& execution, const MatrixSpan& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<const float> norms = {});

/// Writes |p| and |g| of this device's columns into `norms` [2·rows]. All lie in the host's memory.
void attentionNorms(const Execution& execution, const MatrixView& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<float> norms);

}  // namespace meshreel
