// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

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

}  // namespace meshreel
