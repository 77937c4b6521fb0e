// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// into += values.
void addInPlace(const Execution& execution, std::span<float> into, std::span<const float> values);

/// into += values, of one size; both f32 or both bf16, each sum rounded to it.
void addRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values);

/// into *= values.
void multiplyInPlace(const Execution& execution, std::span<float> into, std::span<const float> values);

/// into [rows, width] += values [rows, width] · gate [width].
void addGated(const Execution& execution, std::span<float> into, std::span<const float> values,
              std::span<const float> gate);

}  // namespace meshreel
