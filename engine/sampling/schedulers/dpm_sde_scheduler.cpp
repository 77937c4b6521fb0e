// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/dpm_sde_scheduler.h"

#include <cmath>

#include "engine/sampling/schedulers/noise_level.h"

namespace meshreel {
namespace {

constexpr int order = 2;

}  // namespace

DpmSdeScheduler::DpmSdeScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
    : Scheduler(std::move(config), makeSchedule), m_history(order) {}

Tensor DpmSdeScheduler::advance(const Tensor& modelOutput, const Tensor& sample) {
    const auto here = static_cast<std::size_t>(stepIndex());
    m_history.push(predictedClean(modelOutput, sample, sigmas()[here]));
    const float target = sigmas()[here + 1];
    if (target == 0.0F)
        return m_history[0].clone();
    const auto lambda = [&](std::size_t index) { return noiseLevel(sigmas()[index], true).lambda; };
    const float h = lambda(here + 1) - lambda(here);
    const float gained = 1.0F - std::exp(-2.0F * h);
    const float sampleScale = target / sigmas()[here] * std::exp(-h);
    const float cleanScale = (1.0F - target) * gained;
    const float noiseScale = target * std::sqrt(gained);
    // Half the divided difference, in steps of h.
    const float slope = here == 0 ? 0.0F : 0.5F * h / (lambda(here) - lambda(here - 1));

    const Tensor noise = stepNoise(sample.shape());
    const auto x = sample.data<float>();
    const auto fresh = noise.data<float>();
    const auto newest = m_history[0].data<float>();
    const auto older = m_history[here == 0 ? 0 : 1].data<float>();
    Tensor next = Tensor::empty(sample.shape());
    const auto out = next.data<float>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = sampleScale * x[i] + cleanScale * (newest[i] + slope * (newest[i] - older[i])) +
                 noiseScale * fresh[i];
    return next;
}

SchedulerState DpmSdeScheduler::state() const {
    return m_history.state();
}

void DpmSdeScheduler::restoreState(int step, const StateLookup& lookup) {
    m_history.restore(step, lookup);
}

}  // namespace meshreel
