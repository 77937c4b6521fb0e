// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/softmax_strip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/kernels/exponential.h"
#include "engine/kernels/exponential2.h"

namespace meshreel {

namespace {

// Queries worked on at a time, so that their statistics stay in the L1 cache.
constexpr std::int64_t columnBlock = 512;

// Weights are summed in groups of keys before they are added to longer sums: f32 addition of thousands of
// equal terms would lose digits.
constexpr std::int64_t groupRows = 32;

struct PowerOfTwo {
    template <typename Score>
    float operator()(Score score, float maximum) const {
        return exponential2(score, maximum);
    }
};

struct NaturalPower {
    template <typename Score>
    float operator()(Score score, float maximum) const {
        return exponential(static_cast<float>(score - static_cast<Score>(maximum)));
    }
};

// One key's weights for `columns` queries. In-place use is why the compiler must be told that the elements
// are independent.
template <typename Score, typename Power>
void weighRow(const Score* scores, const float* maxima, std::int64_t columns, Power power, float* weights,
              float* sums) {
#pragma GCC ivdep
    for (std::int64_t column = 0; column < columns; ++column) {
        const float weight = power(scores[column], maxima[column]);
        weights[column] = weight;
        sums[column] += weight;
    }
}

template <typename Score, typename Power>
void weighColumns(const ScoreStrip<Score>& strip, std::int64_t first, std::int64_t columns, Power power,
                  const float* maxima, float* weights, float* sums) {
    std::array<float, columnBlock> group;
    std::fill_n(sums + first, columns, 0.0F);
    for (std::int64_t row = 0; row < strip.keys; row += groupRows) {
        std::fill_n(group.begin(), columns, 0.0F);
        for (std::int64_t key = row; key < std::min(row + groupRows, strip.keys); ++key)
            weighRow(strip.scores + key * strip.queries + first, maxima + first, columns, power,
                     weights + key * strip.queries + first, group.data());
        for (std::int64_t column = 0; column < columns; ++column)
            sums[first + column] += group[static_cast<std::size_t>(column)];
    }
}

template <typename Score>
void raiseTo(const Score* scores, std::int64_t columns, float* largest) {
    for (std::int64_t column = 0; column < columns; ++column) {
        const auto score = static_cast<float>(scores[column]);
        largest[column] = largest[column] > score ? largest[column] : score;
    }
}

}  // namespace

template <typename Score>
bool raiseMaxima(const ScoreStrip<Score>& strip, ExponentBase base, float* maxima, float* factors) {
    std::fill_n(factors, strip.queries, -std::numeric_limits<float>::infinity());
    for (std::int64_t first = 0; first < strip.queries; first += columnBlock)
        for (std::int64_t key = 0; key < strip.keys; ++key)
            raiseTo(strip.scores + key * strip.queries + first, std::min(columnBlock, strip.queries - first),
                    factors + first);
    std::int32_t rises = 0;
    for (std::int64_t query = 0; query < strip.queries; ++query) {
        const float maximum = std::ceil(factors[query]);
        rises += maximum > maxima[query] ? 1 : 0;
        factors[query] = maximum;
    }
    if (rises == 0)
        return false;
    for (std::int64_t query = 0; query < strip.queries; ++query) {
        const float maximum = std::max(maxima[query], factors[query]);
        const float change = maxima[query] - maximum;
        factors[query] = maximum == maxima[query]    ? 1.0F
                         : base == ExponentBase::Two ? exponential2(change, 0.0F)
                                                     : exponential(change);
        maxima[query] = maximum;
    }
    return true;
}

template <typename Score>
void weighScores(const ScoreStrip<Score>& strip, ExponentBase base, const float* maxima, float* weights,
                 float* sums) {
    for (std::int64_t first = 0; first < strip.queries; first += columnBlock) {
        const std::int64_t columns = std::min(columnBlock, strip.queries - first);
        if (base == ExponentBase::Two)
            weighColumns(strip, first, columns, PowerOfTwo{}, maxima, weights, sums);
        else
            weighColumns(strip, first, columns, NaturalPower{}, maxima, weights, sums);
    }
}

template bool raiseMaxima(const ScoreStrip<float>&, ExponentBase, float*, float*);
template bool raiseMaxima(const ScoreStrip<double>&, ExponentBase, float*, float*);
template void weighScores(const ScoreStrip<float>&, ExponentBase, const float*, float*, float*);
template void weighScores(const ScoreStrip<double>&, ExponentBase, const float*, float*, float*);

}  // namespace meshreel
