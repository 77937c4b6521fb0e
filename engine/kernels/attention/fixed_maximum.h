// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/attention/head_rows.h"

namespace meshreel {

/// What the fixed-m kernel knows about a head's keys beforehand. By Cauchy-Schwarz no score of query i, in
/// log2 units, exceeds ‖q_i‖·scale·log2 e·keyNorm; the kernel lowers its scores by that, rounded up, and
/// makes its weights 2^fixedHeadroom() times as large.
struct FixedMaximum {
    double keyNorm = 0.0;  ///< the largest ‖k_j - keyMean‖ of the keys that are attended
    std::span<const float> keyMean =
        {};  ///< [headDim] taken from every key, which changes no weight; empty: zero
};

/// Writes the mean of the keys that are kept to `mean` [headDim]: zero when none is.
void findKeptMean(const HeadRows& keys, std::int64_t count, const std::uint8_t* keyMask,
                  std::span<float> mean);

/// Returns the largest ‖row - offset‖ of the rows that are kept, 0 when none is. NaN when a row holds NaN.
/// `keyMask` may be nullptr, `offset` [headDim] or empty (zero).
double largestNorm(const HeadRows& rows, std::int64_t count, std::int64_t headDim,
                   const std::uint8_t* keyMask, std::span<const float> offset = {});

/// Computes both for the kept keys, after subtracting their mean, which it writes to `mean` [headDim]. They
/// may be a part of the sequence: the partial of these keys leaves the kernel with its true scale, so each
/// part may have a mean of its own.
FixedMaximum smoothedFixedMaximum(const HeadRows& keys, std::int64_t count, const std::uint8_t* keyMask,
                                  std::span<float> mean);

/// Returns how far a query's largest weight may be above 1, in log2 units: what f32's 127 powers of two leave
/// when as many weights as there are keys, and values of up to 2^8, must fit on top. 102 for 75,600 keys.
double fixedHeadroom(std::int64_t keys);

/// Returns whether a head may run with a fixed maximum: the bound of its scores, max‖q‖·scale·log2 e·max‖k -
/// mean‖, is at most fixedHeadroom(keys) + 125. Every query has a score of at least 0 once the mean is taken
/// off, so its largest weight is then a normal f32. `queryNorm` is the largest ‖q_i‖, without the scale.
bool fixedMaximumEligible(double queryNorm, double scale, double keyNorm, std::int64_t keys);

}  // namespace meshreel
