// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/uni_pc_scheduler.h"

#include <algorithm>

#include "engine/sampling/schedulers/uni_pc_coefficients.h"

namespace meshreel {
namespace {

constexpr const char* lastSampleName = "last_sample";

/// Sum of the weighted residuals; empty when the update has none. `atTarget` is the clean sample at the
/// target noise level, for the corrector; null in the predictor.
std::vector<float> residualOf(const UniPcCoefficients& coefficients, const ModelOutputHistory& history,
                              const Tensor* atTarget) {
    if (coefficients.weights.empty())
        return {};
    const auto clean = history[0].data<float>();
    std::vector<float> residual(clean.size(), 0.0F);
    for (std::size_t k = 0; k < coefficients.ratios.size(); ++k) {
        const auto older = history[k + 1].data<float>();
        for (std::size_t i = 0; i < residual.size(); ++i)
            residual[i] += coefficients.weights[k] * ((older[i] - clean[i]) / coefficients.ratios[k]);
    }
    if (atTarget != nullptr) {
        const auto target = atTarget->data<float>();
        for (std::size_t i = 0; i < residual.size(); ++i)
            residual[i] += coefficients.weights.back() * (target[i] - clean[i]);
    }
    return residual;
}

Tensor update(const UniPcCoefficients& coefficients, const Tensor& sample, const ModelOutputHistory& history,
              const Tensor* atTarget) {
    const auto x = sample.data<float>();
    const auto clean = history[0].data<float>();
    Tensor next = Tensor::empty(sample.shape());
    const auto out = next.data<float>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = coefficients.sampleScale * x[i] - coefficients.cleanScale * clean[i];
    // Without residuals the scale must not be looked at: towards sigma 0, B(h) = h is infinite.
    const std::vector<float> residual = residualOf(coefficients, history, atTarget);
    for (std::size_t i = 0; i < residual.size(); ++i)
        out[i] -= coefficients.residualScale * residual[i];
    return next;
}

}  // namespace

UniPcScheduler::UniPcScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
    : Scheduler(std::move(config), makeSchedule), m_history(this->config().solverOrder) {}

int UniPcScheduler::orderAt(int step) const {
    // The step to sigma 0 is infinitely long in log-SNR: only the first order has a limit, the clean sample.
    if (sigmas()[static_cast<std::size_t>(step) + 1] == 0.0F)
        return 1;
    const int wanted =
        config().lowerOrderFinal ? std::min(config().solverOrder, steps() - step) : config().solverOrder;
    return std::min(wanted, step + 1);
}

bool UniPcScheduler::correctsAt(int step) const {
    return step > 0 &&
           std::ranges::find(config().disableCorrector, step - 1) == config().disableCorrector.end();
}

Tensor UniPcScheduler::advance(const Tensor& modelOutput, const Tensor& sample) {
    const int step = stepIndex();
    const auto here = static_cast<std::size_t>(step);
    Tensor clean = predictedClean(modelOutput, sample, sigmas()[here]);

    Tensor corrected = sample;
    if (correctsAt(step))
        corrected =
            update(uniPcCoefficients(sigmas(), here - 1, orderAt(step - 1), UniPcPhase::Correct, config()),
                   m_lastSample, m_history, &clean);
    m_history.push(std::move(clean));
    m_lastSample = corrected;
    return update(uniPcCoefficients(sigmas(), here, orderAt(step), UniPcPhase::Predict, config()), corrected,
                  m_history, nullptr);
}

SchedulerState UniPcScheduler::state() const {
    if (stepIndex() == 0)
        return {};
    SchedulerState state = m_history.state();
    state.emplace_back(lastSampleName, m_lastSample);
    return state;
}

void UniPcScheduler::restoreState(int step, const StateLookup& lookup) {
    m_history.restore(step, lookup);
    m_lastSample = step > 0 ? lookup(lastSampleName) : Tensor();
}

}  // namespace meshreel
