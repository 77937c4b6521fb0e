// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/uni_pc_scheduler.h"

#include <algorithm>

#include "engine/sampling/uni_pc_coefficients.h"

namespace meshreel {
namespace {

constexpr const char* lastSampleName = "last_sample";

/// `atTarget` is the clean sample at the target noise level, for the corrector; null in the predictor.
Tensor update(const UniPcCoefficients& coefficients, const Tensor& sample, const ModelOutputHistory& history,
              const Tensor* atTarget) {
    const auto x = sample.data<float>();
    const auto clean = history[0].data<float>();
    const std::size_t count = x.size();

    std::vector<float> residual(count, 0.0F);
    for (std::size_t k = 0; k < coefficients.ratios.size(); ++k) {
        const auto older = history[k + 1].data<float>();
        for (std::size_t i = 0; i < count; ++i)
            residual[i] += coefficients.weights[k] * ((older[i] - clean[i]) / coefficients.ratios[k]);
    }
    if (atTarget != nullptr) {
        const auto target = atTarget->data<float>();
        for (std::size_t i = 0; i < count; ++i)
            residual[i] += coefficients.weights.back() * (target[i] - clean[i]);
    }

    Tensor next = Tensor::empty(sample.shape());
    const auto out = next.data<float>();
    for (std::size_t i = 0; i < count; ++i)
        out[i] = coefficients.sampleScale * x[i] - coefficients.cleanScale * clean[i] -
                 coefficients.residualScale * residual[i];
    return next;
}

}  // namespace

UniPcScheduler::UniPcScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
    : Scheduler(std::move(config), makeSchedule), m_history(this->config().solverOrder) {}

int UniPcScheduler::orderAt(int step) const {
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
    SchedulerState state;
    if (stepIndex() == 0)
        return state;
    m_history.appendTo(state);
    state.emplace_back(lastSampleName, m_lastSample);
    return state;
}

void UniPcScheduler::restoreState(int step, const StateLookup& lookup) {
    m_history.restore(step, lookup);
    m_lastSample = step > 0 ? lookup(lastSampleName) : Tensor();
}

}  // namespace meshreel
