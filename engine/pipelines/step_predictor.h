// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/pipelines/predictor.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"

namespace meshreel {

/// What the scheduler is given of a step.
struct StepPrediction {
    Tensor guided;  ///< f32 [videos, C, F, H, W]
    Tensor cond;    ///< the transformer's for the prompts; the guided one when it was not asked
    std::optional<Tensor> uncond;      ///< for the negative prompts, with guidance and if requested
    std::vector<Tensor> further = {};  ///< of the passes behind those two, where guidance has more
    StepWork work = StepWork::Everything;
};

/// One step of the denoising loop.
struct StepPoint {
    int index = 0;  ///< counted from 0
    double timestep = 0;
    const Tensor& latents;  ///< before the step
};

/// Predicts the steps of one expert in their order, with the step cache of a plan. Each device has its own
/// and all call it together; they reach the same predictions.
class StepPredictor {
  public:
    virtual ~StepPredictor() = default;
    StepPredictor(const StepPredictor&) = delete;
    StepPredictor& operator=(const StepPredictor&) = delete;

    [[nodiscard]] virtual StepPrediction predict(const StepPoint& point) = 0;

    /// Returns what later steps need from the previous ones: named tensors, small compared with the latents.
    [[nodiscard]] virtual SchedulerState state() const { return {}; }
    /// Continues after the steps that left this state; an empty state carries nothing over.
    virtual void restore(const SchedulerState& /*state*/) {}

    /// Returns values for MagCache's curves: for the last step the factors by which the blocks' contribution
    /// has grown, the prompt's and the negative prompt's; empty unless the plan measures.
    [[nodiscard]] virtual std::vector<double> magRatios() const { return {}; }

  protected:
    StepPredictor() = default;
};

/// `predictor`, `timesteps` and `plan` outlive it.
std::unique_ptr<StepPredictor> makeStepPredictor(const Predictor& predictor, const StepCachePlan& plan,
                                                 std::span<const double> timesteps);

/// Returns whether the predictor is asked for prompts alone.
bool asksPromptsAlone(const StepCachePlan& plan);

}  // namespace meshreel
