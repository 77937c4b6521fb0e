// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pipelines/step_predictor.h"

namespace meshreel {

/// What every kind of StepPredictor works with.
struct PredictorContext {
    const Predictor& predictor;
    const StepCachePlan& plan;
    std::span<const double> timesteps;  ///< of the whole loop
    double guidanceScale = 1;

    /// Of a whole forward pass: guided where there are negative halves.
    [[nodiscard]] StepPrediction split(const Tensor& rows) const;
    /// The same of both halves, or of the prompts' alone.
    [[nodiscard]] StepPrediction join(Tensor cond, std::optional<Tensor> uncond) const;
};

// Each file's own: see StepCacheKind.
std::unique_ptr<StepPredictor> makeCfgPredictor(const PredictorContext& context);
std::unique_ptr<StepPredictor> makeSenPredictor(const PredictorContext& context);
std::unique_ptr<StepPredictor> makeBlockPredictor(const PredictorContext& context);

/// The tensor of a state by its name; null when there is none.
const Tensor* findTensor(const SchedulerState& state, std::string_view name);

}  // namespace meshreel
