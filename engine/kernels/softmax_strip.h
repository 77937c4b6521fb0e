// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention_partial.h"

namespace meshreel {

/// Some keys' scores for all queries, [keys, queries] of float or double, row-major.
template <typename Score>
struct ScoreStrip {
    const Score* scores = nullptr;
    std::int64_t keys = 0;
    std::int64_t queries = 0;
};

/// Raises `maxima` [queries] to the next integer at or above the largest score of each query where they are
/// below it. `factors` [queries] become what sums lowered by the old maxima are to be multiplied with. False
/// when no maximum rose (all factors are 1). Integers make the factors of base 2 exact and rises rare.
template <typename Score>
bool raiseMaxima(const ScoreStrip<Score>& strip, ExponentBase base, float* maxima, float* factors);

/// weights [keys, queries] = exp(score - maximum); `sums` [queries] become the sums of each query's weights.
/// The weights may lie where the scores do.
template <typename Score>
void weighScores(const ScoreStrip<Score>& strip, ExponentBase base, const float* maxima, float* weights,
                 float* sums);

}  // namespace meshreel
