// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/prompt_relay.h"

#include <algorithm>
#include <cmath>

namespace meshreel {
namespace {

/// What a distance from the part's time costs.
class RelayCost {
  public:
    RelayCost(const RelaySpan& span, std::int64_t latentFrames, double epsilon)
        : m_rate(std::log(1 / epsilon) * std::log(1 / epsilon) / 2) {
        constexpr double ramp = 2;  // latent frames within the part's time in which it fades
        const auto last = static_cast<double>(latentFrames - 1);
        const double length = std::max((span.end - span.begin) * last, 1.0);
        m_middle = (span.begin + span.end) / 2 * last;
        m_free = std::max(length / 2 - ramp, 0.0);
    }

    [[nodiscard]] double at(double frame) const {
        const double beyond = std::max(std::abs(frame - m_middle) - m_free, 0.0);
        return beyond * beyond * m_rate;
    }

  private:
    double m_rate;  // 1 / 2σ²
    double m_middle = 0;
    double m_free = 0;  // distance from the middle
};

}  // namespace

std::vector<float> relayBias(const RelaySpan& span, std::int64_t latentFrames, double epsilon,
                             std::span<const LatentTime> frames) {
    const RelayCost cost(span, latentFrames, epsilon);
    double least = cost.at(0);
    for (std::int64_t frame = 1; frame < latentFrames; ++frame)
        least = std::min(least, cost.at(static_cast<double>(frame)));
    std::vector<float> bias;
    bias.reserve(frames.size());
    for (const LatentTime& frame : frames)
        bias.push_back(frame ? static_cast<float>(std::min(least - cost.at(*frame), 0.0)) : 0.0F);
    return bias;
}

}  // namespace meshreel
