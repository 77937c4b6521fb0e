// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/known_frames.h"

#include <cstddef>
#include <span>

namespace meshreel {

std::vector<double> sharedErrors(const NoiseLevel& level, double correlation, std::int64_t frames) {
    const double own = 1 - correlation * correlation;  // variance of what is new in a frame
    const double signal = double{level.alpha} / double{level.sigma};
    const double beside = correlation / own;
    std::vector<double> shares(static_cast<std::size_t>(frames), 0.0);
    double next = 0;  // what the frame behind shares of this one's error
    for (std::size_t i = shares.size(); i-- > 0;) {
        const bool last = i + 1 == shares.size();
        const double diagonal = (last ? 1 : 1 + correlation * correlation) / own + signal * signal;
        next = shares[i] = beside / (diagonal - beside * next);
    }
    for (std::size_t i = 1; i < shares.size(); ++i)
        shares[i] *= shares[i - 1];
    return shares;
}

Tensor followingKnown(const Tensor& velocity, const Tensor& sample, const Tensor& known,
                      const Scheduler& scheduler, int step, double correlation) {
    const auto area = static_cast<std::size_t>(sample.extent(3) * sample.extent(4));
    const auto frames = static_cast<std::size_t>(sample.extent(2));
    const auto first = static_cast<std::size_t>(known.extent(2));
    const auto channels = static_cast<std::size_t>(sample.extent(1));
    const std::vector<double> shares =
        sharedErrors(scheduler.levelOf(step), correlation, static_cast<std::int64_t>(frames - first));
    const float sigma = scheduler.sigmas()[static_cast<std::size_t>(step)];
    const auto frameOf = [area](auto values, std::size_t frame) {
        return values.subspan(frame * area, area);
    };

    Tensor followed = velocity.clone();
    const std::span<float> out = followed.data<float>();
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(sample.extent(0)) * channels; ++plane) {
        const std::size_t last = plane * frames + first - 1;
        const auto is = frameOf(known.data<float>(), (plane % channels + 1) * first - 1);
        const auto seen = frameOf(sample.data<float>(), last);
        const auto predicted = frameOf(velocity.data<float>(), last);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const auto share = static_cast<float>(shares[i]);
            const auto place = frameOf(out, last + 1 + i);
            // In velocities, which differ by the clean samples' difference over -σ.
            for (std::size_t at = 0; at < area; ++at)
                place[at] -= share * ((is[at] - seen[at]) / sigma + predicted[at]);
        }
    }
    return followed;
}

}  // namespace meshreel
