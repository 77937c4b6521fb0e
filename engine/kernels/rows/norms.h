// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Computes y = (x - mean)/√(variance + epsilon) · gamma + beta for each row of x [rows, width] (population
/// variance, sums in double). gamma and beta are [width], or empty for 1 and 0. y may be x. The workers share
/// the rows.
void layerNorm(const Execution& execution, std::span<const float> x, std::int64_t width, double epsilon,
               std::span<const float> gamma, std::span<const float> beta, std::span<float> y);

/// The weights of a layer norm, f32 [width] each, in the memory of what is normalised.
struct NormWeights {
    MatrixView gamma;
    MatrixView beta;
};

/// Computes the same for f32 rows x [rows, width] into rows y of f32 (the bits of the one above) or bf16
/// (sums in f32), where x lies. Throws Error{Internal} when the weights do not fit or lie in another memory.
void layerNorm(const Execution& execution, const MatrixView& x, double epsilon, const NormWeights& weights,
               const MatrixSpan& y);

/// Computes the same without weights.
void layerNorm(const Execution& execution, const MatrixView& x, double epsilon, const MatrixSpan& y);

/// Computes the same by vectors [width] of the host that this step computed: `scale` in place of gamma,
/// `shift` in place of beta. Where a device computes, they go there with the call.
void modulatedNorm(const Execution& execution, const MatrixView& x, double epsilon,
                   std::span<const float> scale, std::span<const float> shift, const MatrixSpan& y);

/// Computes y = x/√(mean(x²) + epsilon) · gamma for each row of x [rows, width]; gamma is [width]. y may be
/// x.
void rmsNorm(const Execution& execution, std::span<const float> x, std::int64_t width, double epsilon,
             std::span<const float> gamma, std::span<float> y);

/// Computes the same for f32 rows x [rows, width] into rows y of f32 or, in a device's memory, bf16. x, y and
/// gamma, f32 [width], lie in one memory.
void rmsNorm(const Execution& execution, const MatrixView& x, double epsilon, const MatrixView& gamma,
             const MatrixSpan& y);

/// sums[row] = Σ x² of each row of x [rows, width]: what a device that holds `width` columns adds to the
/// RMS norm of longer rows.
void rowSquares(const Execution& execution, std::span<const float> x, std::int64_t width,
                std::span<float> sums);

/// Computes rmsNorm when x [rows, width] holds `width` of the rows' `fullWidth` columns: y =
/// x/√(sums[row]/fullWidth + epsilon) · gamma, sums[row] being Σ x² over all columns; gamma is [width]. y may
/// be x.
void rmsNormBySquares(const Execution& execution, std::span<const float> x, std::int64_t width,
                      std::span<const float> sums, std::int64_t fullWidth, double epsilon,
                      std::span<const float> gamma, std::span<float> y);

}  // namespace meshreel
