// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// How far a rounded weight is from the given one.
struct RoundingError {
    double maximum = 0.0;   ///< for one element, absolute
    double mean = 0.0;      ///< absolute
    double relative = 0.0;  ///< Frobenius norm of the difference over the weight's
};

/// A weight rounded by output channel: weight[out][i] ≈ scales[out] · values[out][i], |values| <= 127.
struct Int8Weight {
    Tensor values;  ///< the bytes of int8, [out, in] of U8
    Tensor scales;  ///< f32 [out]

    [[nodiscard]] std::span<const std::int8_t> row(std::int64_t index) const;
};

/// values[i] = round(row[i] / scale), ties to even, where the largest magnitude becomes 127. Returns the
/// scale: 0 for a row of zeros, NaN for one that holds a NaN or an infinity.
float roundToInt8(std::span<const float> row, std::span<std::int8_t> values);

/// `weight` [out, in] of any floating type.
Int8Weight roundToInt8(const Tensor& weight);

RoundingError roundingError(const Tensor& weight, const Int8Weight& rounded);

}  // namespace meshreel
