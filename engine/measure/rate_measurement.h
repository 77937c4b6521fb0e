// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/estimates/machine_rates.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/measure/rate_probes.h"
#include "engine/measure/rate_samples.h"
#include "engine/measure/unfinished_rates.h"

namespace meshreel {

/// What each class of work takes on this machine, fitted to transformers of random weights, a VAE, a text
/// encoder and runs of the embedded model. They take turns, so that a machine that is slower for some seconds
/// is so for all alike. Nothing is written.
class RateMeasurement {
  public:
    static constexpr int rounds = 3;           ///< that make good rates
    static constexpr int thoroughRounds = 12;  ///< beyond which little is gained

    using TimeRound = std::function<void(RateSamples& samples)>;

    /// Continues after the rounds of `earlier`, if there are any and this build measured them.
    explicit RateMeasurement(StopToken stop, OnRateSample onSample = {},
                             const MachineRates* earlier = nullptr, TimeRound timeRound = meshreel::timeRound,
                             MachineIdentity machine = MachineIdentity::ofThis());

    /// Times everything once more, half a minute on two CPUs. Throws Error{Cancelled}, and what the engine
    /// throws; nothing of a round that did not end counts, and the next call continues with it.
    void round();
    /// Returns what was taken, with the round that did not end.
    [[nodiscard]] UnfinishedRates unfinished() const;
    /// Continues after that; ignores measurements of another machine or build.
    void takeUp(const UnfinishedRates& unfinished);
    /// Returns the earlier ones too.
    [[nodiscard]] int taken() const { return static_cast<int>(m_firstSteps.size()); }

    /// Returns rates fitted to the medians of the rounds, of which there must be at least one.
    [[nodiscard]] MachineRates rates() const;

  private:
    StopToken m_stop;
    OnRateSample m_onSample;
    TimeRound m_timeRound;
    MachineIdentity m_machine;
    std::vector<RateSample> m_samples;
    std::vector<double> m_firstSteps;  // a factor of each round
    std::vector<RateSample> m_begun;   // from the round that did not end
    std::vector<double> m_begunFactors;
};

/// Measures rates in so many rounds. Continues after a measurement of the machine that was stopped, and keeps
/// what it has timed when it is stopped itself (writeUnfinishedRates()).
MachineRates goOnMeasuring(RateMeasurement& measurement, const MachineIdentity& machine, int rounds);

/// Measures the first rounds, continuing where they were stopped, or one more after those of `earlier`.
MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample = {},
                          const MachineRates* earlier = nullptr);

/// Measures the first rounds of a GPU, continuing where they were stopped.
MachineRates measureGpuRates(const ChosenGpu& gpu, const StopToken& stop, const OnRateSample& onSample = {});

}  // namespace meshreel
