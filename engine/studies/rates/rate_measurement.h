// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/studies/rates/rate_samples.h"

namespace meshreel {

/// Times everything that rates are made of once.
void timeRound(RateSamples& samples);

/// What each class of work takes on this machine, fitted to transformers of random weights, a VAE, a text
/// encoder and runs of the embedded model. They take turns, so that a machine that is slower for some seconds
/// is so for all alike. Nothing is written.
class RateMeasurement {
  public:
    static constexpr int rounds = 3;           ///< that make good rates
    static constexpr int thoroughRounds = 12;  ///< beyond which little is gained

    using TimeRound = std::function<void(RateSamples& samples)>;

    /// Goes on behind the rounds of `earlier`, where there are any.
    explicit RateMeasurement(StopToken stop, OnRateSample onSample = {},
                             const MachineRates* earlier = nullptr,
                             TimeRound timeRound = meshreel::timeRound);

    /// Times everything once more, half a minute on two CPUs. Throws Error{Cancelled}, and what the engine
    /// throws; nothing of a round that did not end counts.
    void round();
    /// The earlier ones too.
    [[nodiscard]] int taken() const { return static_cast<int>(m_firstSteps.size()); }

    /// Of the medians of the rounds, of which there is at least one.
    [[nodiscard]] MachineRates rates() const;

  private:
    StopToken m_stop;
    OnRateSample m_onSample;
    TimeRound m_timeRound;
    std::vector<RateSample> m_samples;
    std::vector<double> m_firstSteps;  // a factor of each round
};

/// The first rounds, or one more behind those of `earlier`.
MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample = {},
                          const MachineRates* earlier = nullptr);

}  // namespace meshreel
