// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_samples.h"

#include <chrono>

#include "engine/planning/prediction/rate_fit.h"

namespace meshreel {

void RateSamples::add(RateSample sample) {
    m_samples.push_back(std::move(sample));
    if (m_onSample)
        m_onSample(m_samples.back());
}

void RateSamples::time(RateSample sample, bool firstStep, const std::function<double()>& pass) {
    constexpr std::size_t mostRounds = 3;
    constexpr double enoughSeconds = 0.8;
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
