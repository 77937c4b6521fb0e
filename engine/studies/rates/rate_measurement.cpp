// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_measurement.h"

#include "engine/base/local_time.h"
#include "engine/planning/prediction/rate_fit.h"

namespace meshreel {

void RateMeasurement::round() {
    sampleRuns(m_samples);
    sampleTransformers(m_samples);
    sampleVae(m_samples);
    sampleTextEncoder(m_samples);
}

MachineRates RateMeasurement::rates() const {
    MachineRates rates = fitRates(MachineIdentity::ofThis(), m_samples.samples());
    rates.firstStep = std::max(1.0, quantile(m_samples.firstStepFactors(), 1.0 / 2));
    rates.measured = localTimeNow("%Y-%m-%d %H:%M");
    return rates;
}

MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample) {
    RateMeasurement measurement(stop, onSample);
    for (int round = 0; round < RateMeasurement::rounds; ++round)
        measurement.round();
    return measurement.rates();
}

}  // namespace meshreel
