// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/measure/unfinished_rates.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/run_work.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a run was made of and what that took.
struct ScratchRun {
    RunWork work;
    double stepSeconds = 0;         ///< the median of the steps after the first
    double aroundStepsSeconds = 0;  ///< of the denoising phase, without its steps
    std::array<double, runStages.size()> stages = {};

    [[nodiscard]] double total() const;
};

/// Runs a project without caches, in a folder that is gone afterwards. Throws what runProject() throws.
ScratchRun runInScratch(const Project& project, const StopToken& stop);

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

/// Returns how many things timeRound() times on this machine.
int samplesOfRound();

/// Times everything that rates are made of once: transformers, a VAE, a text encoder, runs.
void timeRound(RateSamples& samples);

/// How far a round on a GPU goes. A GPU is slow or fast: sizes rise until a pass takes long.
struct GpuRoundLimits {
    double passSeconds = 1;  ///< no larger pass is timed than takes this long, by the one before it
    bool runs = true;        ///< whole runs, too
};

/// Returns how many things timeGpuRound() times at most: of a slow GPU fewer.
int mostSamplesOfGpuRound();

/// Times everything that rates of a GPU are made of once: copies, transformers, a VAE, runs. Throws
/// Error{Device}, and what the engine throws.
void timeGpuRound(RateSamples& samples, const ChosenGpu& gpu, const GpuRoundLimits& limits = {});

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
