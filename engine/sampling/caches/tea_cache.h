// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/sampling/caches/cache_schedule.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What TeaCache goes by on one released model.
struct TeaCacheRow {
    std::string_view family;      ///< see ModelFamily
    std::int64_t layers;          ///< of the transformer it was fitted to
    std::int64_t fromHeight;      ///< of the videos, in pixels
    std::array<double, 5> curve;  ///< see TeaCacheSettings
    double threshold;
};

/// Null where nothing is published.
const TeaCacheRow* publishedTeaCache(std::string_view family, std::int64_t layers, std::int64_t height);

/// When TeaCache leaves the blocks out (arXiv 2411.19108).
struct TeaCacheSettings {
    std::vector<double> curve;  ///< polynomial, highest power first: of the change of what the model makes of
                                ///< the time, how much its prediction changes
    double threshold = 0;       ///< the sum over the steps left out stays below it
};

/// The steps that TeaCache may shorten: all but the first ones of each expert.
CacheSchedule teaCacheCandidates(const CachedLoop& loop);

/// Of time embeddings f32 [steps, width] how much each differs from the one before: Σ|now - before| /
/// Σ|before|, 0 for the first.
std::vector<double> relativeChanges(const Tensor& embeddings);

/// `changes` of every step of the loop.
CacheSchedule teaCacheSchedule(const CachedLoop& loop, std::span<const double> changes,
                               const TeaCacheSettings& settings);

}  // namespace meshreel
