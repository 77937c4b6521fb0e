// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/dpm_solver_scheduler.h"

#include <algorithm>
#include <cmath>

#include "engine/sampling/schedulers/noise_level.h"

namespace meshreel {
namespace {

/// Runs shorter than this end with lower orders when `lower_order_final` is set.
constexpr int shortRun = 15;

/// next = sampleScale * x - d0Scale * D0 + d1Scale * D1 - d2Scale * D2, with D0 the newest clean sample and
/// D1, D2 the divided differences of the history over half log-SNR, scaled by the step h.
struct Coefficients {
    float sampleScale = 0.0F;
    float d0Scale = 0.0F;
    float d1Scale = 0.0F;
    float d2Scale = 0.0F;
    float r0 = 0.0F;  ///< last interval / h
    float r1 = 0.0F;  ///< the one before / h
};

Coefficients coefficientsFor(std::span<const float> sigmas, std::size_t here, int order, DpmSolver solver) {
    const auto lambda = [&](std::size_t index) { return noiseLevel(sigmas[index], true).lambda; };
    const float alpha = 1.0F - sigmas[here + 1];
    const float h = lambda(here + 1) - lambda(here);
    const float decay = std::exp(-h) - 1.0F;

    Coefficients result;
    result.sampleScale = sigmas[here + 1] / sigmas[here];
    result.d0Scale = alpha * decay;
    if (order >= 2) {
        result.r0 = (lambda(here) - lambda(here - 1)) / h;
        const bool midpoint = order == 2 && solver == DpmSolver::Midpoint;
        result.d1Scale = midpoint ? -0.5F * (alpha * decay) : alpha * (decay / h + 1.0F);
    }
    if (order >= 3) {
        result.r1 = (lambda(here - 1) - lambda(here - 2)) / h;
        result.d2Scale = alpha * ((decay + h) / (h * h) - 0.5F);
    }
    return result;
}

Tensor dpmUpdate(const Coefficients& c, int order, const Tensor& sample, const ModelOutputHistory& history) {
    Tensor next = Tensor::empty(sample.shape());
    const auto out = next.data<float>();
    const auto x = sample.data<float>();
    const auto m0 = history[0].data<float>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = c.sampleScale * x[i] - c.d0Scale * m0[i];
    if (order == 2) {
        const auto m1 = history[1].data<float>();
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += c.d1Scale * (1.0F / c.r0 * (m0[i] - m1[i]));
    }
    if (order == 3) {
        const auto m1 = history[1].data<float>();
        const auto m2 = history[2].data<float>();
        for (std::size_t i = 0; i < out.size(); ++i) {
            const float newer = 1.0F / c.r0 * (m0[i] - m1[i]);
            const float older = 1.0F / c.r1 * (m1[i] - m2[i]);
            const float d1 = newer + c.r0 / (c.r0 + c.r1) * (newer - older);
            const float d2 = 1.0F / (c.r0 + c.r1) * (newer - older);
            out[i] = out[i] + c.d1Scale * d1 - c.d2Scale * d2;
        }
    }
    return next;
}

}  // namespace

DpmSolverScheduler::DpmSolverScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
    : Scheduler(std::move(config), makeSchedule), m_history(this->config().solverOrder) {}

int DpmSolverScheduler::orderAt(int step) const {
    const bool taperOff = config().lowerOrderFinal && steps() < shortRun;
    const bool last = step == steps() - 1;
    if (last && (config().eulerAtFinal || taperOff || config().finalSigma == FinalSigma::Zero))
        return 1;
    const int most = step == steps() - 2 && taperOff ? 2 : 3;
    return std::min({config().solverOrder, step + 1, most});
}

Tensor DpmSolverScheduler::advance(const Tensor& modelOutput, const Tensor& sample) {
    const auto here = static_cast<std::size_t>(stepIndex());
    m_history.push(predictedClean(modelOutput, sample, sigmas()[here]));
    const int order = orderAt(stepIndex());
    return dpmUpdate(coefficientsFor(sigmas(), here, order, config().dpmSolver), order, sample, m_history);
}

SchedulerState DpmSolverScheduler::state() const {
    return m_history.state();
}

void DpmSolverScheduler::restoreState(int step, const StateLookup& lookup) {
    m_history.restore(step, lookup);
}

}  // namespace meshreel
