// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "engine/pipelines/cached_predictors.h"
#include "engine/sampling/caches/sen_cache.h"

namespace meshreel {
namespace {

constexpr const char* guidedName = "guided";
constexpr const char* latentsName = "latents";
constexpr const char* sumsName = "sums";

/// Keeps the last guided prediction and gives it again while the score admits it.
class SenPredictor : public StepPredictor {
  public:
    explicit SenPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const StepCachePlan& plan = m_context.plan;
        if (m_score.begun() && plan.workOf(point.index) == StepWork::Nothing &&
            m_score.admits(point.latents, point.timestep, plan.threshold, plan.mostInARow))
            return {.guided = m_guided, .cond = m_guided, .uncond = {}, .work = StepWork::Nothing};
        StepPrediction prediction =
            m_context.split(m_context.predictor.predict(point.latents, point.timestep, point.index));
        m_score.begin(point.latents, point.timestep);
        m_guided = prediction.guided;
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        if (!m_score.begun())
            return {};
        return {{guidedName, m_guided}, {latentsName, m_score.latents()}, {sumsName, m_score.sums()}};
    }

    void restore(const SchedulerState& state) override {
        const Tensor* guided = findTensor(state, guidedName);
        const Tensor* latents = findTensor(state, latentsName);
        const Tensor* sums = findTensor(state, sumsName);
        if (guided == nullptr || latents == nullptr || sums == nullptr)
            return;
        m_guided = *guided;
        m_score.restore(*latents, *sums);
    }

  private:
    PredictorContext m_context;
    SenScore m_score;
    Tensor m_guided;
};

}  // namespace

std::unique_ptr<StepPredictor> makeSenPredictor(const PredictorContext& context) {
    return std::make_unique<SenPredictor>(context);
}

}  // namespace meshreel
