// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/pipelines/prediction.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/sampling/schedulers/scheduler.h"
#include "engine/timing/step_work.h"

namespace meshreel {

/// What the scheduler is given of a step.
struct StepPrediction {
    Tensor guided;  ///< f32 [videos, C, F, H, W]
    Tensor cond;    ///< the transformer's for the prompts; the guided one when it was not asked
    std::optional<Tensor> uncond;  ///< for the negative prompts, where guidance is on and it was asked
    StepWork work = StepWork::Everything;
};

/// One step of the denoising loop.
struct StepPoint {
    int index = 0;  ///< counted from 0
    double timestep = 0;
    const Tensor& latents;  ///< before the step
};

/// Predicts the steps of one expert in their order, with the step cache of a plan. Each device has its own
/// and all walk it together; they come to the same predictions.
class StepPredictor {
  public:
    virtual ~StepPredictor() = default;
    StepPredictor(const StepPredictor&) = delete;
    StepPredictor& operator=(const StepPredictor&) = delete;

    [[nodiscard]] virtual StepPrediction predict(const StepPoint& point) = 0;

    /// What the steps to come need of those before: named tensors, small beside the latents' size.
    [[nodiscard]] virtual SchedulerState state() const { return {}; }
    /// Goes on behind the steps that left this state; none: nothing is taken over from them.
    virtual void restore(const SchedulerState& /*state*/) {}

    /// For curves of MagCache: of the last step the factors by which what the blocks add has grown, prompt's
    /// and negative prompt's; empty unless the plan measures.
    [[nodiscard]] virtual std::vector<double> growth() const { return {}; }

  protected:
    StepPredictor() = default;
};

/// `predictor`, `timesteps` and `plan` outlive it.
std::unique_ptr<StepPredictor> makeStepPredictor(const Predictor& predictor, const StepCachePlan& plan,
                                                 std::span<const double> timesteps, double guidanceScale);

/// Whether the predictor is asked for prompts alone.
bool asksPromptsAlone(const StepCachePlan& plan);

}  // namespace meshreel
