// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/schedulers/model_output_history.h"
#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

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

}  // namespace meshreel
