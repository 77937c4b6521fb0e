// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_measurement.h"

#include <algorithm>
#include <utility>

#include "engine/base/local_time.h"
#include "engine/base/median.h"
#include "engine/planning/prediction/rate_fit.h"

namespace meshreel {

void timeRound(RateSamples& samples) {
    sampleRuns(samples);
    sampleTransformers(samples);
    sampleVae(samples);
    sampleTextEncoder(samples);
}

RateMeasurement::RateMeasurement(StopToken stop, OnRateSample onSample, const MachineRates* earlier,
                                 TimeRound timeRound)
    : m_stop(std::move(stop)), m_onSample(std::move(onSample)), m_timeRound(std::move(timeRound)) {
    if (earlier == nullptr)
        return;
    m_samples = earlier->samples;
    m_firstSteps = earlier->firstSteps;
}

void RateMeasurement::round() {
    RateSamples timed(m_stop, m_onSample);
    m_timeRound(timed);
    std::vector<RateSample> samples = timed.samples();
    for (RateSample& sample : samples) {
        const auto before = std::ranges::find(m_samples, sample.name, &RateSample::name);
        if (before != m_samples.end())
            sample.rounds = before->rounds;
        sample.rounds.push_back(sample.seconds);
        sample.seconds = medianOf(sample.rounds);
    }
    m_samples = std::move(samples);
    const std::vector<double>& factors = timed.firstStepFactors();
    m_firstSteps.push_back(factors.empty() ? 1 : medianOf(factors));
}

MachineRates RateMeasurement::rates() const {
    MachineRates rates = fitRates(MachineIdentity::ofThis(), m_samples);
    rates.firstStep = std::max(1.0, medianOf(m_firstSteps));
    rates.firstSteps = m_firstSteps;
    rates.measured = localTimeNow("%Y-%m-%d %H:%M");
    return rates;
}

MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample, const MachineRates* earlier) {
    RateMeasurement measurement(stop, onSample, earlier);
    const int rounds = earlier == nullptr ? RateMeasurement::rounds : 1;
    for (int round = 0; round < rounds; ++round)
        measurement.round();
    return measurement.rates();
}

}  // namespace meshreel
