// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_samples.h"

#include <algorithm>
#include <chrono>

#include "engine/planning/prediction/rate_fit.h"

namespace meshreel {

void RateSamples::add(RateSample sample) {
    if (m_onSample)
        m_onSample(sample);
    const auto known = std::ranges::find(m_samples, sample.name, &RateSample::name);
    if (known != m_samples.end()) {
        m_seconds[static_cast<std::size_t>(known - m_samples.begin())].push_back(sample.seconds);
        return;
    }
    m_seconds.push_back({sample.seconds});
    m_samples.push_back(std::move(sample));
}

std::vector<RateSample> RateSamples::samples() const {
    std::vector<RateSample> samples = m_samples;
    for (std::size_t index = 0; index < samples.size(); ++index)
        samples[index].seconds = quantile(m_seconds[index], 1.0 / 2);
    return samples;
}

void RateSamples::time(RateSample sample, bool firstStep, const std::function<double()>& pass) {
    constexpr std::size_t mostRounds = 3;
    constexpr double enoughSeconds = 0.1;
    throwIfStopped(m_stop);
    const double first = pass();
    std::vector<double> rounds;
    double spent = 0;
    while (rounds.size() < mostRounds && spent < enoughSeconds) {
        throwIfStopped(m_stop);
        rounds.push_back(pass());
        spent += rounds.back();
    }
    sample.seconds = quantile(rounds, 1.0 / 2);
    if (firstStep)
        m_firstStepFactors.push_back(first / sample.seconds);
    add(std::move(sample));
}

double secondsOf(const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace meshreel
