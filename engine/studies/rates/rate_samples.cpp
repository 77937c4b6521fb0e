// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_samples.h"

#include <chrono>

#include "engine/base/median.h"

namespace meshreel {

void RateSamples::add(RateSample sample) {
    if (m_onSample)
        m_onSample(sample);
    m_samples.push_back(std::move(sample));
}

void RateSamples::time(RateSample sample, bool firstStep, const std::function<double()>& pass) {
    constexpr std::size_t mostPasses = 3;
    constexpr double enoughSeconds = 0.1;
    throwIfStopped(m_stop);
    const double first = pass();
    std::vector<double> passes;
    double spent = 0;
    while (passes.size() < mostPasses && spent < enoughSeconds) {
        throwIfStopped(m_stop);
        passes.push_back(pass());
        spent += passes.back();
    }
    sample.seconds = medianOf(std::move(passes));
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
