// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_measurement.h"

#include "engine/base/local_time.h"
#include "engine/planning/prediction/rate_fit.h"

namespace meshreel {

MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample) {
    RateSamples samples(stop, onSample);
    sampleRuns(samples);
    sampleTransformers(samples);
    sampleVae(samples);
    sampleTextEncoder(samples);
    MachineRates rates = fitRates(MachineIdentity::ofThis(), samples.samples());
    rates.firstStep = std::max(1.0, quantile(samples.firstStepFactors(), 1.0 / 2));
    rates.measured = localTimeNow("%Y-%m-%d %H:%M");
    return rates;
}

}  // namespace meshreel
