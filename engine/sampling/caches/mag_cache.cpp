// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/mag_cache.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace meshreel {
namespace {

constexpr std::size_t halves = 2;

/// How far one half has drifted since its blocks last ran.
struct Drift {
    double ratio = 1;
    double error = 0;
};

/// Of both halves.
struct MagState {
    std::array<Drift, halves> drifts{};
    int inARow = 0;

    /// After one more step without blocks.
    [[nodiscard]] MagState after(std::span<const double> ratios) const {
        MagState next{.drifts = {}, .inARow = inARow + 1};
        for (std::size_t half = 0; half < halves; ++half) {
            next.drifts[half].ratio = drifts[half].ratio * ratios[half];
            next.drifts[half].error = drifts[half].error + std::abs(1.0 - next.drifts[half].ratio);
        }
        return next;
    }

    [[nodiscard]] bool admitted(const MagCacheSettings& settings) const {
        return inARow <= settings.mostInARow && drifts[0].error < settings.threshold &&
               drifts[1].error < settings.threshold;
    }
};

/// Steps that are computed in full whatever the curve says.
bool isRetained(const CachedLoop& loop, double retention, int step) {
    const auto part = [retention](int steps) {
        return static_cast<int>(static_cast<double>(steps) * retention);
    };
    const int boundary = loop.boundary();
    if (step < boundary)
        return step == 0 || step < part(boundary);
    return step == boundary || step < boundary + part(loop.steps - boundary);
}

}  // namespace

std::vector<double> resampledRatios(std::span<const double> ratios, int steps) {
    const auto wanted = static_cast<std::size_t>(steps);
    if (ratios.size() == halves * wanted)
        return {ratios.begin(), ratios.end()};
    const std::size_t length = ratios.size() / halves;
    std::vector<double> resampled;
    for (std::size_t step = 0; step < wanted; ++step) {
        // nearbyint rounds to even.
        const double place =
            steps == 1
                ? static_cast<double>(length - 1)
                : std::nearbyint(static_cast<double>(step) * (static_cast<double>(length - 1) / (steps - 1)));
        for (std::size_t half = 0; half < halves; ++half)
            resampled.push_back(ratios[halves * static_cast<std::size_t>(place) + half]);
    }
    return resampled;
}

CacheSchedule magCacheSchedule(const CachedLoop& loop, const MagCacheSettings& settings) {
    const std::vector<double> ratios = resampledRatios(settings.ratios, loop.steps);
    CacheSchedule schedule(static_cast<std::size_t>(loop.steps), StepWork::Everything);
    MagState state;
    for (int step = 0; step < loop.steps; ++step) {
        const auto index = static_cast<std::size_t>(step);
        if (step == loop.boundary())
            state = {};
        if (isRetained(loop, settings.retention, step))
            continue;
        const MagState next = state.after(std::span(ratios).subspan(halves * index, halves));
        const bool leftOut = next.admitted(settings);
        if (leftOut)
            schedule[index] = StepWork::NoBlocks;
        state = leftOut ? next : MagState{};
    }
    return schedule;
}

}  // namespace meshreel
