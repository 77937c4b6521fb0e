// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// In place, on the calling thread; NaN stays NaN.
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

/// The same on f32 rows side by side on the host, or in a GPU's memory, where it must be one of the GELUs
/// above.
void activate(const Execution& execution, Activation& activation, const MatrixSpan& values);

// Functions on matrices compute where these lie: on the host the workers share the rows. All matrices of a
// call lie in one memory (Error{Internal}).

/// into += values.
void addInPlace(const Execution& execution, std::span<float> into, std::span<const float> values);

/// into += values, of one size; both f32 or both bf16, each sum rounded to it.
void addRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// into = values - into, of one size, f32.
void subtractFrom(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// into *= values.
void multiplyInPlace(const Execution& execution, std::span<float> into, std::span<const float> values);

/// The same of f32 matrices, on the host with rows side by side.
void multiplyRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// into [rows, width] += values [rows, width] · gate [width].
void addGated(const Execution& execution, std::span<float> into, std::span<const float> values,
              std::span<const float> gate);

/// The same of f32 matrices.
void addGated(const Execution& execution, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate);

// Those below compute in f32, and round to the type of `into`; matrices are f32 or bf16 each, of one size.

/// into = max(into, 0).
void rectify(const Execution& execution, const MatrixSpan& into);

/// into = max(into + values, 0).
void addAndRectify(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// into = 3·tanh(values / 3).
void boundTo3(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// into = 2·into - 1: numbers of [0, 1] become ones of [-1, 1].
void centre(const Execution& execution, const MatrixSpan& into);

}  // namespace meshreel
