// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/rate_samples.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/base/elapsed.h"
#include "engine/base/numbers.h"

namespace meshreel {

bool RateSamples::takeEarlier(const std::string& name) {
    const auto earlier = std::ranges::find(m_earlier, name, &RateSample::name);
    if (earlier == m_earlier.end())
        return false;
    m_samples.push_back(std::move(*earlier));
    m_earlier.erase(earlier);
    return true;
}

std::vector<RateSample> RateSamples::all() const {
    std::vector<RateSample> all = m_samples;
    std::ranges::copy(m_earlier, std::back_inserter(all));
    return all;
}

void RateSamples::add(RateSample sample) {
    std::erase_if(m_earlier, [&](const RateSample& earlier) { return earlier.name == sample.name; });
    if (m_onSample)
        m_onSample(sample);
    m_samples.push_back(std::move(sample));
}

void RateSamples::time(RateSample sample, bool firstStep, const std::function<double()>& pass) {
    constexpr std::size_t mostPasses = 3;
    constexpr double enoughSeconds = 0.1;
    if (takeEarlier(sample.name))
        return;
    throwIfStopped(m_stop);
    const double first = pass();
    std::vector<double> passes;
    double spent = 0;
    while (passes.size() < mostPasses && spent < enoughSeconds) {
        throwIfStopped(m_stop);
        passes.push_back(pass());
        spent += passes.back();
    }
    throwIfStopped(m_stop);
    sample.seconds = computeMedian(std::move(passes));
    if (firstStep)
        m_firstStepFactors.push_back(first / sample.seconds);
    add(std::move(sample));
}

double secondsOf(const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    work();
    return secondsSince(start);
}

RateSample wholeMachine(std::string name, int cpus) {
    return {.name = std::move(name), .work = {}, .arrangement = {.devices = 1, .workersPerDevice = cpus}};
}

}  // namespace meshreel
