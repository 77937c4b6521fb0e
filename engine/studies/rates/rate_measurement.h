// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/studies/rates/rate_samples.h"

namespace meshreel {

/// What each class of work takes on this machine, fitted to transformers of random weights, a VAE, a text
/// encoder and runs of the embedded model. They take turns, so that a machine that is slower for some seconds
/// is so for all alike. Nothing is written.
class RateMeasurement {
  public:
    static constexpr int rounds = 3;  ///< that make good rates

    explicit RateMeasurement(StopToken stop, OnRateSample onSample = {})
        : m_samples(std::move(stop), std::move(onSample)) {}

    /// Times everything once more, half a minute on two CPUs. Throws Error{Cancelled}, and what the engine
    /// throws.
    void round();

    /// Of the medians of the rounds, of which there is at least one.
    [[nodiscard]] MachineRates rates() const;

  private:
    RateSamples m_samples;
};

/// All rounds.
MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample = {});

}  // namespace meshreel
