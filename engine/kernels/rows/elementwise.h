// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Works in place, on the calling thread; NaN stays NaN.
using Activation = void(std::span<float> values);

/// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2: torch's gelu(approximate="tanh"), Hugging Face's "gelu_new".
void geluTanh(std::span<float> values);

/// x·(1 + erf(x/√2))/2: torch's gelu.
void geluErf(std::span<float> values);

/// x/(1 + e^-1.702x): transformers' quick_gelu.
void geluQuick(std::span<float> values);

/// x/(1 + e^-x).
void silu(std::span<float> values);

/// The activation over all values, the workers sharing them.
void activate(const Execution& execution, Activation& activation, std::span<float> values);

/// Applies it to contiguous f32 rows on the host, or in a GPU's memory, where it must be one of the GELUs
/// above.
void activate(const Execution& execution, Activation& activation, const MatrixSpan& values);

// Functions on matrices compute in the memory of these: on the host the workers share the rows. All matrices
// of a call are in one memory (Error{Internal}).

/// Computes into += values.
void addInPlace(const Execution& execution, std::span<float> into, std::span<const float> values);

/// Computes into += values, of one size; both f32 or both bf16, each sum rounded to that type.
void addRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// Computes into = values - into, of one size, f32.
void subtractFrom(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// Computes into *= values.
void multiplyInPlace(const Execution& execution, std::span<float> into, std::span<const float> values);

/// Computes into *= values for f32 matrices, on the host with contiguous rows.
void multiplyRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// Computes into [rows, width] += values [rows, width] · gate [width].
void addGated(const Execution& execution, std::span<float> into, std::span<const float> values,
              std::span<const float> gate);

/// Computes into += values · gate for f32 matrices.
void addGated(const Execution& execution, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate);

// The functions below compute in f32, and round to the type of `into`; each matrix is f32 or bf16, all of one
// size.

/// Computes into = max(into, 0).
void rectify(const Execution& execution, const MatrixSpan& into);

/// Computes into = max(into + values, 0).
void addAndRectify(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// Computes into = 3·tanh(values / 3).
void boundTo3(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// Computes into = 2·into - 1: maps [0, 1] to [-1, 1].
void centre(const Execution& execution, const MatrixSpan& into);

/// Computes into = into where it is not negative, slope · into elsewhere: torch's LeakyReLU.
void leakyRectify(const Execution& execution, const MatrixSpan& into, float slope);

/// Computes leakyRectify() of into + values.
void addAndLeakyRectify(const Execution& execution, const MatrixSpan& into, const MatrixView& values,
                        float slope);

/// As leakyRectify(), each column with a slope of its own: torch's PReLU. `slopes`: f32 [width].
void leakyRectify(const Execution& execution, const MatrixSpan& into, std::span<const float> slopes);

/// Computes into = factor · into + values.
void scaleAndAdd(const Execution& execution, const MatrixSpan& into, const MatrixView& values, float factor);

/// Computes into = values.
void copyRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

}  // namespace meshreel
