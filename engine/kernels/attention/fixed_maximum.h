// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/attention/head_rows.h"

namespace meshreel {

/// What the fixed-m kernel knows of a head's keys beforehand. By Cauchy-Schwarz no score of query i, in log2
/// units, is above ‖q_i‖·scale·log2 e·keyNorm; the kernel lowers its scores by that, rounded up, less 88.
struct FixedMaximum {
    double keyNorm = 0.0;  ///< the largest ‖k_j - keyMean‖ of the keys that are attended
    std::vector<float> keyMean =
        {};  ///< [headDim] taken from every key, which changes no weight; empty: zero
};

/// The mean of the keys that are kept: [headDim], zero when none is.
std::vector<float> keptMean(const HeadRows& keys, std::int64_t count, std::int64_t headDim,
                            const std::uint8_t* keep);

/// The largest ‖row - offset‖ of the rows that are kept, 0 when none is. NaN when a row holds NaN. `keep` may
/// be nullptr, `offset` [headDim] or empty (zero).
double largestNorm(const HeadRows& rows, std::int64_t count, std::int64_t headDim, const std::uint8_t* keep,
                   std::span<const float> offset = {});

/// Both for the keys that are kept, of the whole sequence, with their mean taken off.
FixedMaximum smoothedFixedMaximum(const HeadRows& keys, std::int64_t count, std::int64_t headDim,
                                  const std::uint8_t* keep);

/// Whether a head may run with a fixed maximum: the bound of its scores, max‖q‖·scale·log2 e·max‖k‖, is at
/// most 213 when the mean of all keys of the sequence was taken off (then every query has a score of at least
/// 0), else at most 106.5. `queryNorm` is the largest ‖q_i‖, without the scale.
bool fixedMaximumEligible(double queryNorm, double scale, double keyNorm, bool smoothed);

}  // namespace meshreel
