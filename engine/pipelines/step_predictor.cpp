// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/step_predictor.h"

#include <algorithm>
#include <utility>

#include "engine/pipelines/cached_predictors.h"
#include "engine/sampling/guidance.h"

namespace meshreel {
namespace {

/// Computes every step.
class FullPredictor : public StepPredictor {
  public:
    explicit FullPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        return m_context.split(m_context.predictor.predict(point.latents, point.timestep, point.index));
    }

  private:
    PredictorContext m_context;
};

}  // namespace

StepPrediction PredictorContext::join(Tensor cond, std::optional<Tensor> uncond) const {
    StepPrediction prediction;
    prediction.guided = uncond ? guide(cond, *uncond, guidanceScale) : cond;
    prediction.cond = std::move(cond);
    prediction.uncond = std::move(uncond);
    return prediction;
}

StepPrediction PredictorContext::split(const Tensor& rows) const {
    const std::int64_t videos = predictor.videos();
    std::optional<Tensor> uncond;
    if (predictor.guided())
        uncond = rows.slice(videos, 2 * videos);
    return join(rows.slice(0, videos), std::move(uncond));
}

const Tensor* findTensor(const SchedulerState& state, std::string_view name) {
    const auto found = std::ranges::find(state, name, &SchedulerState::value_type::first);
    return found == state.end() ? nullptr : &found->second;
}

std::unique_ptr<StepPredictor> makeStepPredictor(const Predictor& predictor, const StepCachePlan& plan,
                                                 std::span<const double> timesteps, double guidanceScale) {
    const PredictorContext context{predictor, plan, timesteps, guidanceScale};
    if (plan.keepsBlocks())
        return makeBlockPredictor(context);
    switch (plan.kind) {
        case StepCacheKind::Cfg:
            return makeCfgPredictor(context);
        case StepCacheKind::Sen:
            return makeSenPredictor(context);
        default:
            return std::make_unique<FullPredictor>(context);
    }
}

bool asksPromptsAlone(const StepCachePlan& plan) {
    return plan.kind == StepCacheKind::Cfg;
}

}  // namespace meshreel
