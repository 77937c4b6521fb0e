// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/sparse_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/sampling/noise.h"

namespace meshreel {
namespace {

constexpr double peakScore = 10;
constexpr double sinkScore = 6;
constexpr std::int64_t sinkTokens = 16;
constexpr float noiseDeviation = 0.5F;
constexpr double valueLength = 8;
constexpr double frameDistance = 2;

/// cos and sin of frequencies times a place.
class PlaceFeatures {
  public:
    /// Of deviation 1 / length along row and column, and along time as `timeWeight` says.
    PlaceFeatures(std::int64_t headDim, double length, double timeWeight, std::uint64_t seed)
        : m_frequencies(counterNormal(seed, {headDim / 2, 3})), m_length(length), m_timeWeight(timeWeight) {}

    void add(const std::array<double, 3>& place, double gain, std::span<float> row) const {
        const auto frequencies = m_frequencies.data<float>();
        for (std::size_t pair = 0; 2 * pair + 1 < row.size(); ++pair) {
            const double angle = (static_cast<double>(frequencies[3 * pair]) * m_timeWeight * place[0] +
                                  static_cast<double>(frequencies[3 * pair + 1]) * place[1] +
                                  static_cast<double>(frequencies[3 * pair + 2]) * place[2]) /
                                 m_length;
            row[2 * pair] += static_cast<float>(gain * std::cos(angle));
            row[2 * pair + 1] += static_cast<float>(gain * std::sin(angle));
        }
    }

  private:
    Tensor m_frequencies;  // [headDim / 2, 3]
    double m_length;
    double m_timeWeight;
};

/// Normal noise of [1, tokens, heads, headDim], to which features are added.
Tensor noiseRows(const TokenGrid& video, std::int64_t heads, std::int64_t headDim, float deviation,
                 std::uint64_t seed) {
    Tensor rows = counterNormal(seed, {1, video.tokens(), heads, headDim});
    for (float& value : rows.data<float>())
        value *= deviation;
    return rows;
}

template <typename AddTo>
void eachRow(Tensor& rows, const TokenGrid& video, WorkerPool& workers, const AddTo& addTo) {
    const std::int64_t heads = rows.extent(2);
    const std::int64_t headDim = rows.extent(3);
    const std::span<float> all = rows.data<float>();
    workers.parallelFor(video.tokens(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t token = begin; token < end; ++token) {
            const std::array<double, 3> place{static_cast<double>(token / (video.rows * video.columns)),
                                              static_cast<double>(token / video.columns % video.rows),
                                              static_cast<double>(token % video.columns)};
            for (std::int64_t head = 0; head < heads; ++head)
                addTo(token, head, place,
                      all.subspan(static_cast<std::size_t>((token * heads + head) * headDim),
                                  static_cast<std::size_t>(headDim)));
        }
    });
}

}  // namespace

PatternedRows makePatternedRows(AttentionPattern pattern, const TokenGrid& video, std::int64_t heads,
                                std::int64_t headDim, DType type, std::uint64_t seed, WorkerPool& workers) {
    const bool hasPlaces = pattern != AttentionPattern::Random;
    const float deviation = hasPlaces ? noiseDeviation : 1.0F;
    PatternedRows made{.query = noiseRows(video, heads, headDim, deviation, seed),
                       .key = noiseRows(video, heads, headDim, deviation, seed + 1),
                       .value = noiseRows(video, heads, headDim, noiseDeviation, seed + 2)};
    const PlaceFeatures ofValues(headDim, valueLength, frameDistance, seed + 3);
    eachRow(made.value, video, workers,
            [&](std::int64_t, std::int64_t, const std::array<double, 3>& place, std::span<float> row) {
                ofValues.add(place, 1, row);
            });
    if (hasPlaces) {
        // |features|² is headDim / 2, and scores are divided by √headDim.
        const double root = std::sqrt(static_cast<double>(headDim));
        const double gain = std::sqrt(peakScore * root / (static_cast<double>(headDim) / 2));
        const double sinkGain = std::sqrt(sinkScore * root);
        const double timeWeight = pattern == AttentionPattern::Periodic ? 0 : frameDistance;
        std::vector<PlaceFeatures> ofHeads;
        for (std::int64_t head = 0; head < heads; ++head)
            ofHeads.emplace_back(headDim, 1.5 * std::exp2(static_cast<double>(head % 4)), timeWeight,
                                 seed + 4 + static_cast<std::uint64_t>(head));
        const std::int64_t between = std::max<std::int64_t>(1, video.rows * video.columns / sinkTokens);
        const auto addTo = [&](bool isKey) {
            return [&, isKey](std::int64_t token, std::int64_t head, const std::array<double, 3>& place,
                              std::span<float> row) {
                ofHeads[static_cast<std::size_t>(head)].add(place, gain, row);
                const bool isSink = token < between * sinkTokens && token % between == 0;
                if (pattern == AttentionPattern::Sinks && (!isKey || isSink))
                    row[0] += static_cast<float>(sinkGain);
            };
        };
        eachRow(made.query, video, workers, addTo(false));
        eachRow(made.key, video, workers, addTo(true));
    }
    for (Tensor* const rows : {&made.query, &made.key, &made.value})
        *rows = rows->to(type);
    return made;
}

}  // namespace meshreel
