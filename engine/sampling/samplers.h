// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>

#include "engine/sampling/scheduler.h"

namespace meshreel {

/// The last few converted model outputs of a multistep solver, newest first.
class ModelOutputHistory {
  public:
    explicit ModelOutputHistory(int capacity) : m_capacity(static_cast<std::size_t>(capacity)) {}

    void push(Tensor output);
    /// `age` 0 is the newest.
    [[nodiscard]] const Tensor& operator[](std::size_t age) const { return m_outputs[age]; }

    /// All that is kept, newest first.
    [[nodiscard]] SchedulerState state() const;
    /// What is kept once `step` steps are done.
    void restore(int step, const StateLookup& lookup);

  private:
    std::size_t m_capacity;
    std::deque<Tensor> m_outputs;
};

/// The clean sample that a flow model's velocity points to: sample - sigma * modelOutput.
Tensor predictedClean(const Tensor& modelOutput, const Tensor& sample, float sigma);

/// x(sigma') = x(sigma) + (sigma' - sigma) * velocity. Keeps nothing between steps.
class FlowEulerScheduler final : public Scheduler {
  public:
    FlowEulerScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int /*step*/, const StateLookup& /*lookup*/) override {}
};

/// Heun's method (diffusers' FlowMatchHeunDiscreteScheduler): an Euler step, then the same step again with
/// the mean of the velocities at both ends. Each noise level but the first is two steps of the scheduler, one
/// to correct the step that led to it and one to go on; the last level is reached by Euler's step alone.
class FlowHeunScheduler final : public Scheduler {
  public:
    FlowHeunScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

    [[nodiscard]] SchedulerState state() const override;

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int step, const StateLookup& lookup) override;

    // Where the uncorrected step began; empty when the next step is such a one.
    Tensor m_sample;
    Tensor m_velocity;
};

/// flowEulerSigmas with every level between the ends twice.
SigmaSchedule flowHeunSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// Sampling of consistency and distilled models (diffusers' FlowMatchLCMScheduler): each step predicts the
/// clean sample and noises it anew to the next level, x' = (1 - sigma')·(x - sigma·v) + sigma'·noise.
class FlowLcmScheduler final : public Scheduler {
  public:
    FlowLcmScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int /*step*/, const StateLookup& /*lookup*/) override {}
};

/// DPM-Solver++ multistep (Lu et al., 2022) of order 1 to 3 on a flow, as Wan's
/// FlowDPMSolverMultistepScheduler computes it with `algorithm_type` dpmsolver++.
class DpmSolverScheduler final : public Scheduler {
  public:
    DpmSolverScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

    [[nodiscard]] SchedulerState state() const override;

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int step, const StateLookup& lookup) override;
    [[nodiscard]] int orderAt(int step) const;

    ModelOutputHistory m_history;
};

/// UniPC (Zhao et al., "UniPC: a unified predictor-corrector framework", 2023), predicting the clean sample,
/// of order 1 to 3 with B(h) = h or exp(h) - 1; as UniPCMultistepScheduler of diffusers computes it, f32
/// coefficients included.
class UniPcScheduler final : public Scheduler {
  public:
    UniPcScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

    [[nodiscard]] SchedulerState state() const override;

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int step, const StateLookup& lookup) override;

    /// Order of the predictor of a step: lower while the history fills, and near the end when configured so.
    [[nodiscard]] int orderAt(int step) const;
    [[nodiscard]] bool correctsAt(int step) const;

    ModelOutputHistory m_history;
    Tensor m_lastSample;  ///< the (corrected) sample that the last prediction started from
};

/// DPM-Solver++ of the diffusion SDE, multistep of order 2 ("DPM++ 2M SDE", Lu et al., 2022): with half
/// log-SNR lambda, h its difference over the step, D0 the newest clean sample and D1 its divided difference,
///   x' = sigma'/sigma·e^-h·x + alpha'·(1 - e^-2h)·(D0 + D1/2) + sigma'·sqrt(1 - e^-2h)·noise.
class DpmSdeScheduler final : public Scheduler {
  public:
    DpmSdeScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

    [[nodiscard]] SchedulerState state() const override;

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int step, const StateLookup& lookup) override;

    ModelOutputHistory m_history;
};

}  // namespace meshreel
