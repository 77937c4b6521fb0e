// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/schedulers/model_output_history.h"
#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

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

}  // namespace meshreel
