// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

/// x(sigma') = x(sigma) + (sigma' - sigma) * velocity. Keeps nothing between steps.
class FlowEulerScheduler final : public Scheduler {
  public:
    FlowEulerScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override;
    void restoreState(int /*step*/, const StateLookup& /*lookup*/) override {}
};

}  // namespace meshreel
