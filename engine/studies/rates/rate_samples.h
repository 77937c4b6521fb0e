// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/planning/prediction/machine_rates.h"

namespace meshreel {

/// Told of each sample as it comes, for progress.
using OnRateSample = std::function<void(const RateSample& sample)>;

/// Collects what is timed in a round for the rates of a machine.
class RateSamples {
  public:
    RateSamples(StopToken stop, OnRateSample onSample)
        : m_stop(std::move(stop)), m_onSample(std::move(onSample)) {}

    [[nodiscard]] const StopToken& stop() const { return m_stop; }

    void add(RateSample sample);

    /// Times `pass` once for warming up and then once more, three times when it is short; `pass` returns its
    /// seconds. The first over the median of the others is kept as a first step's factor where
    /// `firstStep`. Throws Error{Cancelled}.
    void time(RateSample sample, bool firstStep, const std::function<double()>& pass);

    [[nodiscard]] const std::vector<RateSample>& samples() const { return m_samples; }
    [[nodiscard]] const std::vector<double>& firstStepFactors() const { return m_firstStepFactors; }

  private:
    StopToken m_stop;
    OnRateSample m_onSample;
    std::vector<RateSample> m_samples;
    std::vector<double> m_firstStepFactors;
};

/// What `work` takes.
double secondsOf(const std::function<void()>& work);

// Each in the file of its name.

/// Forward passes of one block of Wan 2.1 1.3B and of a small transformer: sizes, types, kernels,
/// arrangements.
void sampleTransformers(RateSamples& samples);

/// Decoding by a Wan 2.1 VAE.
void sampleVae(RateSamples& samples);

/// A text encoder of two layers.
void sampleTextEncoder(RateSamples& samples);

/// Whole runs of the embedded model in a scratch folder.
void sampleRuns(RateSamples& samples);

}  // namespace meshreel
