// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "engine/pipelines/cached_predictors.h"
#include "engine/sampling/caches/guidance_bands.h"

namespace meshreel {
namespace {

constexpr const char* condName = "cond";
constexpr const char* uncondName = "uncond";

/// Keeps both halves of the last prediction; where the schedule says so it computes the prompt's only. The
/// prompt's half is kept of every step, the negative one of full steps, as MaxDiffusion does.
class CfgPredictor : public StepPredictor {
  public:
    explicit CfgPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const bool shortened = m_uncond && m_context.plan.workOf(point.index) == StepWork::PromptOnly;
        StepPrediction prediction = shortened ? fromPrompts(point) : inFull(point);
        m_cond = prediction.cond;
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        if (!m_uncond)
            return {};
        return {{condName, m_cond}, {uncondName, *m_uncond}};
    }

    void restore(const SchedulerState& state) override {
        const Tensor* cond = findTensor(state, condName);
        const Tensor* uncond = findTensor(state, uncondName);
        if (cond == nullptr || uncond == nullptr)
            return;
        m_cond = *cond;
        m_uncond = *uncond;
    }

  private:
    [[nodiscard]] StepPrediction inFull(const StepPoint& point) {
        StepPrediction prediction =
            m_context.split(m_context.predictor.predict(point.latents, point.timestep, point.index));
        m_uncond = prediction.uncond;
        return prediction;
    }

    [[nodiscard]] StepPrediction fromPrompts(const StepPoint& point) const {
        Tensor cond = m_context.predictor.predictPrompts(point.latents, point.timestep, point.index);
        Tensor uncond =
            madeUpUncond(cond, m_cond, *m_uncond, cfgCacheWeights(m_context.plan.loop, point.index));
        StepPrediction prediction = m_context.join(std::move(cond), std::move(uncond));
        prediction.work = StepWork::PromptOnly;
        return prediction;
    }

    PredictorContext m_context;
    Tensor m_cond;
    std::optional<Tensor> m_uncond;
};

}  // namespace

std::unique_ptr<StepPredictor> makeCfgPredictor(const PredictorContext& context) {
    return std::make_unique<CfgPredictor>(context);
}

}  // namespace meshreel
