// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/tea_cache.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace meshreel {
namespace {

constexpr int fullSteps = 5;  // ret_steps of TeaCache4Wan2.1 with use_ret_steps, in steps

// TeaCache4Wan2.1's coefficients with use_ret_steps, which are of the projected time embedding (the blocks'
// modulation). Thresholds: 0.08 as FastVideo uses it for the 1.3B, for the others the middle of what
// WanVideoWrapper recommends. The first row that fits is taken.
constexpr std::array<TeaCacheRow, 4> publishedRows{{
    {"wan2.1-t2v",
     30,
     0,
     {-5.21862437e+04, 9.23041404e+03, -5.28275948e+02, 1.36987616e+01, -4.99875664e-02},
     0.08},
    {"wan2.1-t2v",
     40,
     0,
     {-3.03318725e+05, 4.90537029e+04, -2.65530556e+03, 5.87365115e+01, -3.15583525e-01},
     0.2},
    {"wan2.1-i2v",
     40,
     720,
     {8.10705460e+03, 2.13393892e+03, -3.72934672e+02, 1.66203073e+01, -4.17769401e-02},
     0.2},
    {"wan2.1-i2v",
     40,
     0,
     {2.57151496e+05, -3.54229917e+04, 1.40286849e+03, -1.35890334e+01, 1.32517977e-01},
     0.2},
}};

double valueOf(std::span<const double> polynomial, double x) {
    double sum = 0;
    for (const double coefficient : polynomial)
        sum = sum * x + coefficient;
    return sum;
}

}  // namespace

const TeaCacheRow* publishedTeaCache(std::string_view family, std::int64_t layers, std::int64_t height) {
    const auto found = std::ranges::find_if(publishedRows, [&](const TeaCacheRow& row) {
        return row.family == family && row.layers == layers && height >= row.fromHeight;
    });
    return found == publishedRows.end() ? nullptr : &*found;
}

CacheSchedule teaCacheCandidates(const CachedLoop& loop) {
    CacheSchedule schedule(static_cast<std::size_t>(loop.steps), StepWork::NoBlocks);
    std::fill_n(schedule.begin(), std::min(fullSteps, loop.steps), StepWork::Everything);
    if (loop.boundary() < loop.steps)
        schedule[static_cast<std::size_t>(loop.boundary())] = StepWork::Everything;
    return schedule;
}

std::vector<double> relativeChanges(const Tensor& embeddings) {
    const auto width = static_cast<std::size_t>(embeddings.extent(1));
    const std::span<const float> values = embeddings.data<float>();
    std::vector<double> changes(static_cast<std::size_t>(embeddings.extent(0)), 0.0);
    for (std::size_t step = 1; step < changes.size(); ++step) {
        const auto now = values.subspan(step * width, width);
        const auto before = values.subspan((step - 1) * width, width);
        double difference = 0;
        double reference = 0;
        for (std::size_t at = 0; at < width; ++at) {
            difference += std::abs(double{now[at]} - double{before[at]});
            reference += std::abs(double{before[at]});
        }
        changes[step] = difference / reference;
    }
    return changes;
}

CacheSchedule teaCacheSchedule(const CachedLoop& loop, std::span<const double> changes,
                               const TeaCacheSettings& settings) {
    CacheSchedule schedule = teaCacheCandidates(loop);
    double sum = 0;
    for (std::size_t step = 0; step < schedule.size(); ++step) {
        if (schedule[step] != StepWork::Everything)
            sum += valueOf(settings.curve, changes[step]);
        if (schedule[step] == StepWork::Everything || sum >= settings.threshold) {
            schedule[step] = StepWork::Everything;
            sum = 0;
        }
    }
    return schedule;
}

}  // namespace meshreel
