// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// What from.toF32() holds, into memory of as many elements.
void copyAsF32(const Tensor& from, std::span<float> to);

/// Joins tensors of one type along an axis; their other extents are equal. At least one.
Tensor joined(std::span<const Tensor> parts, std::size_t axis);
Tensor joined(std::initializer_list<Tensor> parts, std::size_t axis);

/// Returns a copy of [begin, end) along an axis.
Tensor sliced(const Tensor& tensor, std::size_t axis, std::int64_t begin, std::int64_t end);

/// f32 [1, …] as [rows, …]: its one row `rows` times.
Tensor repeated(const Tensor& row, std::int64_t rows);

/// [rows, columns] of any type that toF32() takes, as f32 [columns, rows].
Tensor transposed(const Tensor& matrix);

}  // namespace meshreel
