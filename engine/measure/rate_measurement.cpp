// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/rate_measurement.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/system.h"
#include "engine/base/version.h"
#include "engine/measure/gpu_rate_probes.h"

namespace meshreel {

RateMeasurement::RateMeasurement(StopToken stop, OnRateSample onSample, const MachineRates* earlier,
                                 TimeRound timeRound, MachineIdentity machine)
    : m_stop(std::move(stop)),
      m_onSample(std::move(onSample)),
      m_timeRound(std::move(timeRound)),
      m_machine(std::move(machine)) {
    if (earlier == nullptr || !earlier->areOfThisBuild())
        return;
    m_samples = earlier->samples;
    m_firstSteps = earlier->firstSteps;
}

void RateMeasurement::round() {
    RateSamples timed(m_stop, m_onSample, std::exchange(m_begun, {}), std::exchange(m_begunFactors, {}));
    try {
        m_timeRound(timed);
    } catch (...) {
        m_begun = timed.all();
        m_begunFactors = timed.firstStepFactors();
        throw;
    }
    std::vector<RateSample> samples = timed.samples();
    for (RateSample& sample : samples) {
        const auto before = std::ranges::find(m_samples, sample.name, &RateSample::name);
        if (before != m_samples.end())
            sample.rounds = before->rounds;
        sample.rounds.push_back(sample.seconds);
        sample.seconds = computeMedian(sample.rounds);
    }
    m_samples = std::move(samples);
    const std::vector<double>& factors = timed.firstStepFactors();
    m_firstSteps.push_back(factors.empty() ? 1 : computeMedian(factors));
}

UnfinishedRates RateMeasurement::unfinished() const {
    MachineRates rounds;
    rounds.machine = m_machine;
    rounds.measured = localTimeNow("%Y-%m-%d %H:%M");
    rounds.commit = versionCommit();
    MachineRates round = rounds;
    rounds.samples = m_samples;
    rounds.firstSteps = m_firstSteps;
    round.samples = m_begun;
    round.firstSteps = m_begunFactors;
    return {.rounds = std::move(rounds), .round = std::move(round)};
}

void RateMeasurement::takeUp(const UnfinishedRates& unfinished) {
    if (unfinished.rounds.machine != m_machine || !unfinished.rounds.areOfThisBuild())
        return;
    m_samples = unfinished.rounds.samples;
    m_firstSteps = unfinished.rounds.firstSteps;
    m_begun = unfinished.round.samples;
    m_begunFactors = unfinished.round.firstSteps;
}

MachineRates RateMeasurement::rates() const {
    MachineRates rates = fitRates(m_machine, m_samples);
    rates.firstStep = std::max(1.0, computeMedian(m_firstSteps));
    rates.firstSteps = m_firstSteps;
    rates.measured = localTimeNow("%Y-%m-%d %H:%M");
    rates.commit = versionCommit();
    return rates;
}

namespace {

/// Keeping may fail as writing does: the next measurement begins anew then.
void keepUnfinished(const RateMeasurement& measurement) {
    try {
        writeUnfinishedRates(measurement.unfinished());
    } catch (const Error&) {
        return;
    }
}

}  // namespace

MachineRates goOnMeasuring(RateMeasurement& measurement, const MachineIdentity& machine, int rounds) {
    if (const std::optional<UnfinishedRates> unfinished = readUnfinishedRates(machine))
        measurement.takeUp(*unfinished);
    try {
        while (measurement.taken() < rounds)
            measurement.round();
    } catch (...) {
        keepUnfinished(measurement);
        throw;
    }
    forgetUnfinishedRates(machine);
    return measurement.rates();
}

MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample, const MachineRates* earlier) {
    RateMeasurement measurement(stop, onSample, earlier);
    if (measurement.taken() == 0)
        return goOnMeasuring(measurement, MachineIdentity::ofThis(), RateMeasurement::rounds);
    measurement.round();
    return measurement.rates();
}

MachineRates measureGpuRates(const ChosenGpu& gpu, const StopToken& stop, const OnRateSample& onSample) {
    const MachineIdentity machine = MachineIdentity::ofGpu(gpu.facts);
    RateMeasurement measurement(
        stop, onSample, nullptr, [&gpu](RateSamples& samples) { timeGpuRound(samples, gpu); }, machine);
    return goOnMeasuring(measurement, machine, RateMeasurement::rounds);
}

}  // namespace meshreel
