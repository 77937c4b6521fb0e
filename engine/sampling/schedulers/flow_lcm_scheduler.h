// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

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

}  // namespace meshreel
