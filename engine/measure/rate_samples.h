// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/estimates/machine_rates.h"

namespace meshreel {

/// Receives each sample as it comes, for progress.
using OnRateSample = std::function<void(const RateSample& sample)>;

/// Collects what is timed in a round for the rates of a machine.
class RateSamples {
  public:
    /// Continues after what a stopped round has timed, which is not reported again.
    RateSamples(StopToken stop, OnRateSample onSample, std::vector<RateSample> earlier = {},
                std::vector<double> firstStepFactors = {})
        : m_stop(std::move(stop)),
          m_onSample(std::move(onSample)),
          m_earlier(std::move(earlier)),
          m_firstStepFactors(std::move(firstStepFactors)) {}

    [[nodiscard]] const StopToken& stop() const { return m_stop; }

    /// Returns whether the sample of this name was timed before the round was stopped; it is the last one
    /// then.
    bool takeEarlier(const std::string& name);
    void add(RateSample sample);

    /// Times `pass` once for warming up and then once more, three times when it is short; `pass` returns its
    /// seconds. The first over the median of the others is kept as a first step's factor where
    /// `firstStep`. Nothing is timed where it was before. Throws Error{Cancelled}, also for a pass during
    /// which that was asked for: something else was beginning then.
    void time(RateSample sample, bool firstStep, const std::function<double()>& pass);

    [[nodiscard]] const std::vector<RateSample>& samples() const { return m_samples; }
    [[nodiscard]] const std::vector<double>& firstStepFactors() const { return m_firstStepFactors; }
    /// Returns samples() and what is left of the earlier ones.
    [[nodiscard]] std::vector<RateSample> all() const;

  private:
    StopToken m_stop;
    OnRateSample m_onSample;
    std::vector<RateSample> m_samples;
    std::vector<RateSample> m_earlier;
    std::vector<double> m_firstStepFactors;
};

/// Returns the seconds that `work` takes: a pass for RateSamples::time().
double secondsOf(const std::function<void()>& work);

/// Returns a sample that all CPUs of this process share, without its work and seconds.
RateSample wholeMachine(std::string name, int cpus);

}  // namespace meshreel
