// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/schedulers/model_output_history.h"
#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

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
