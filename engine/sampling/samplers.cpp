// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/samplers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/linear_solve.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

/// The last few converted model outputs of a multistep solver, newest first.
class ModelOutputHistory {
  public:
    explicit ModelOutputHistory(int capacity) : m_capacity(static_cast<std::size_t>(capacity)) {}

    void push(Tensor output) {
        m_outputs.push_front(std::move(output));
        if (m_outputs.size() > m_capacity)
            m_outputs.pop_back();
    }

    /// `age` 0 is the newest.
    [[nodiscard]] const Tensor& operator[](std::size_t age) const { return m_outputs[age]; }

    /// All that is kept, newest first.
    [[nodiscard]] SchedulerState state() const {
        SchedulerState state;
        for (std::size_t age = 0; age < m_outputs.size(); ++age)
            state.emplace_back(entryName(age), m_outputs[age]);
        return state;
    }

    /// What is kept once `step` steps are done.
    void restore(int step, const StateLookup& lookup) {
        m_outputs.clear();
        const std::size_t kept = std::min(static_cast<std::size_t>(step), m_capacity);
        for (std::size_t age = 0; age < kept; ++age)
            m_outputs.push_back(lookup(entryName(age)));
    }

  private:
    static std::string entryName(std::size_t age) { return "model_output." + std::to_string(age); }

    std::size_t m_capacity;
    std::deque<Tensor> m_outputs;
};

// UniPC.

/// One UniPC update from noise level s to t, with m0 the model's clean sample at s and mk those k steps
/// before: x_t = sampleScale * x_s - cleanScale * m0
///       - residualScale * (sum over k >= 1 of weights[k-1] * (mk - m0) / ratios[k-1] + weights.back() * (mt
///       - m0)),
/// the last term, with the clean sample mt at t, in the corrector only.
struct UniPcCoefficients {
    float sampleScale = 0.0F;
    float cleanScale = 0.0F;
    float residualScale = 0.0F;
    std::vector<float> ratios;   ///< order - 1
    std::vector<float> weights;  ///< order - 1 in the predictor, order in the corrector
};

enum class UniPcPhase { Predict, Correct };

/// Weights of the residuals: those that make the update exact for polynomials, from the conditions R w = b.
std::vector<float> residualWeights(const std::vector<float>& ratios, float negativeH, float bh, int order,
                                   UniPcPhase phase) {
    const bool correct = phase == UniPcPhase::Correct;
    const auto unknowns = static_cast<std::size_t>(correct ? order : order - 1);
    if (unknowns == 0)
        return {};
    if (unknowns == 1)
        return {0.5F};  // upstream's shortcut for the lowest order

    std::vector<float> nodes = ratios;
    nodes.push_back(1.0F);
    nodes.resize(unknowns);
    std::vector<float> conditions;
    std::vector<float> right;
    float phi = std::expm1(negativeH) / negativeH - 1.0F;
    float factorial = 1.0F;
    for (std::size_t power = 0; power < unknowns; ++power) {
        for (const float node : nodes)
            conditions.push_back(std::pow(node, static_cast<float>(power)));
        right.push_back(phi * factorial / bh);
        factorial *= static_cast<float>(power + 2);
        phi = phi / negativeH - 1.0F / factorial;
    }
    return solveLinear(conditions, right);
}

/// `from` is the index of s in `sigmas`; t is the next one.
UniPcCoefficients uniPcCoefficients(std::span<const float> sigmas, std::size_t from, int order,
                                    UniPcPhase phase, const SchedulerConfig& config) {
    const NoiseLevel s = noiseLevel(sigmas[from], config.flowSigmas);
    const NoiseLevel t = noiseLevel(sigmas[from + 1], config.flowSigmas);
    const float h = t.lambda - s.lambda;
    const float phi1 = std::expm1(-h);
    const float bh = config.uniPcSolver == UniPcSolver::Bh1 ? -h : phi1;

    UniPcCoefficients result;
    result.sampleScale = t.sigma / s.sigma;
    result.cleanScale = t.alpha * phi1;
    result.residualScale = t.alpha * bh;
    for (std::size_t k = 1; k < static_cast<std::size_t>(order); ++k)
        result.ratios.push_back((noiseLevel(sigmas[from - k], config.flowSigmas).lambda - s.lambda) / h);
    result.weights = residualWeights(result.ratios, -h, bh, order, phase);
    return result;
}

/// Sum of the weighted residuals; empty when the update has none. `atTarget` is the clean sample at the
/// target noise level, for the corrector; null in the predictor.
std::vector<float> computeResidual(const UniPcCoefficients& coefficients, const ModelOutputHistory& history,
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

Tensor uniPcUpdate(const UniPcCoefficients& coefficients, const Tensor& sample,
                   const ModelOutputHistory& history, const Tensor* atTarget) {
    const auto x = sample.data<float>();
    const auto clean = history[0].data<float>();
    Tensor next = Tensor::empty(sample.shape());
    const auto out = next.data<float>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = coefficients.sampleScale * x[i] - coefficients.cleanScale * clean[i];
    // Without residuals the scale must not be looked at: towards sigma 0, B(h) = h is infinite.
    const std::vector<float> residual = computeResidual(coefficients, history, atTarget);
    for (std::size_t i = 0; i < residual.size(); ++i)
        out[i] -= coefficients.residualScale * residual[i];
    return next;
}

/// UniPC (Zhao et al., "UniPC: a unified predictor-corrector framework", 2023), predicting the clean sample,
/// of order 1 to 3 with B(h) = h or exp(h) - 1; as UniPCMultistepScheduler of diffusers computes it, f32
/// coefficients included.
class UniPcScheduler final : public Scheduler {
  public:
    UniPcScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule), m_history(this->config().solverOrder) {}

    [[nodiscard]] SchedulerState state() const override {
        if (stepIndex() == 0)
            return {};
        SchedulerState state = m_history.state();
        state.emplace_back(lastSampleName, m_lastSample);
        return state;
    }

  private:
    static constexpr const char* lastSampleName = "last_sample";

    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const int step = stepIndex();
        const auto here = static_cast<std::size_t>(step);
        Tensor clean = predictedClean(modelOutput, sample, sigmas()[here]);

        Tensor corrected = sample;
        if (correctsAt(step))
            corrected = uniPcUpdate(
                uniPcCoefficients(sigmas(), here - 1, orderAt(step - 1), UniPcPhase::Correct, config()),
                m_lastSample, m_history, &clean);
        m_history.push(std::move(clean));
        m_lastSample = corrected;
        return uniPcUpdate(uniPcCoefficients(sigmas(), here, orderAt(step), UniPcPhase::Predict, config()),
                           corrected, m_history, nullptr);
    }

    void restoreState(int step, const StateLookup& lookup) override {
        m_history.restore(step, lookup);
        m_lastSample = step > 0 ? lookup(lastSampleName) : Tensor();
    }

    /// Order of the predictor of a step: lower while the history fills, and near the end when configured so.
    [[nodiscard]] int orderAt(int step) const {
        // The step to sigma 0 is infinitely long in log-SNR: only the first order has a limit, the clean
        // sample.
        if (sigmas()[static_cast<std::size_t>(step) + 1] == 0.0F)
            return 1;
        const int wanted =
            config().lowerOrderFinal ? std::min(config().solverOrder, steps() - step) : config().solverOrder;
        return std::min(wanted, step + 1);
    }

    [[nodiscard]] bool correctsAt(int step) const {
        return step > 0 &&
               std::ranges::find(config().disableCorrector, step - 1) == config().disableCorrector.end();
    }

    ModelOutputHistory m_history;
    Tensor m_lastSample;  ///< the (corrected) sample that the last prediction started from
};

// Along the flow.

/// x(sigma') = x(sigma) + (sigma' - sigma) * velocity. Keeps nothing between steps.
class FlowEulerScheduler final : public Scheduler {
  public:
    FlowEulerScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        const float difference = sigmas()[here + 1] - sigmas()[here];
        Tensor next = Tensor::empty(sample.shape());
        std::ranges::transform(sample.data<float>(), modelOutput.data<float>(), next.data<float>().begin(),
                               [difference](float x, float velocity) { return x + difference * velocity; });
        return next;
    }

    void restoreState(int /*step*/, const StateLookup& /*lookup*/) override {}
};

/// Heun's method (diffusers' FlowMatchHeunDiscreteScheduler): an Euler step, then the same step again with
/// the mean of the velocities at both ends. Each noise level but the first is two steps of the scheduler, one
/// to correct the step that led to it and one to go on; the last level is reached by Euler's step alone.
class FlowHeunScheduler final : public Scheduler {
  public:
    FlowHeunScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

    [[nodiscard]] SchedulerState state() const override {
        if (!corrects(stepIndex()))
            return {};
        return {{std::string(sampleName), m_sample}, {std::string(velocityName), m_velocity}};
    }

  private:
    static constexpr std::string_view sampleName = "heun.sample";
    static constexpr std::string_view velocityName = "heun.velocity";

    static bool corrects(int step) { return step % 2 == 1; }

    [[nodiscard]] int stepsOfLevel() const override { return 2; }

    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        const bool second = corrects(stepIndex());
        const Tensor& from = second ? m_sample : sample;
        const float difference =
            second ? sigmas()[here] - sigmas()[here - 1] : sigmas()[here + 1] - sigmas()[here];
        const auto x = from.data<float>();
        const auto velocity = modelOutput.data<float>();
        Tensor next = Tensor::empty(sample.shape());
        const auto out = next.data<float>();
        for (std::size_t i = 0; i < out.size(); ++i) {
            const float slope = second ? 0.5F * (m_velocity.data<float>()[i] + velocity[i]) : velocity[i];
            out[i] = x[i] + difference * slope;
        }
        m_sample = second ? Tensor() : sample;
        m_velocity = second ? Tensor() : modelOutput;
        return next;
    }

    void restoreState(int step, const StateLookup& lookup) override {
        m_sample = corrects(step) ? lookup(sampleName) : Tensor();
        m_velocity = corrects(step) ? lookup(velocityName) : Tensor();
    }

    // Where the uncorrected step began; empty when the next step is such a one.
    Tensor m_sample;
    Tensor m_velocity;
};

/// Sampling of consistency and distilled models (diffusers' FlowMatchLCMScheduler): each step predicts the
/// clean sample and noises it anew to the next level, x' = (1 - sigma')·(x - sigma·v) + sigma'·noise.
class FlowLcmScheduler final : public Scheduler {
  public:
    FlowLcmScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        const float next = sigmas()[here + 1];
        Tensor clean = predictedClean(modelOutput, sample, sigmas()[here]);
        if (next == 0.0F)
            return clean;
        const Tensor noise = stepNoise(sample.shape());
        std::ranges::transform(clean.data<float>(), noise.data<float>(), clean.data<float>().begin(),
                               [next](float x, float n) { return (1.0F - next) * x + next * n; });
        return clean;
    }

    void restoreState(int /*step*/, const StateLookup& /*lookup*/) override {}
};

// DPM-Solver++.

/// next = sampleScale * x - d0Scale * D0 + d1Scale * D1 - d2Scale * D2, with D0 the newest clean sample and
/// D1, D2 the divided differences of the history over half log-SNR, scaled by the step h.
struct DpmCoefficients {
    float sampleScale = 0.0F;
    float d0Scale = 0.0F;
    float d1Scale = 0.0F;
    float d2Scale = 0.0F;
    float r0 = 0.0F;  ///< last interval / h
    float r1 = 0.0F;  ///< the one before / h
};

DpmCoefficients dpmCoefficients(std::span<const float> sigmas, std::size_t here, int order,
                                DpmSolver solver) {
    const auto lambda = [&](std::size_t index) { return noiseLevel(sigmas[index], true).lambda; };
    const float alpha = 1.0F - sigmas[here + 1];
    const float h = lambda(here + 1) - lambda(here);
    const float decay = std::exp(-h) - 1.0F;

    DpmCoefficients result;
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

Tensor dpmUpdate(const DpmCoefficients& c, int order, const Tensor& sample,
                 const ModelOutputHistory& history) {
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

/// DPM-Solver++ multistep (Lu et al., 2022) of order 1 to 3 on a flow, as Wan's
/// FlowDPMSolverMultistepScheduler computes it with `algorithm_type` dpmsolver++.
class DpmSolverScheduler final : public Scheduler {
  public:
    DpmSolverScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule), m_history(this->config().solverOrder) {}

    [[nodiscard]] SchedulerState state() const override { return m_history.state(); }

  private:
    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        m_history.push(predictedClean(modelOutput, sample, sigmas()[here]));
        const int order = orderAt(stepIndex());
        return dpmUpdate(dpmCoefficients(sigmas(), here, order, config().dpmSolver), order, sample,
                         m_history);
    }

    void restoreState(int step, const StateLookup& lookup) override { m_history.restore(step, lookup); }

    [[nodiscard]] int orderAt(int step) const {
        // Shorter runs end with lower orders when `lower_order_final` is set.
        constexpr int shortRun = 15;
        const bool taperOff = config().lowerOrderFinal && steps() < shortRun;
        const bool last = step == steps() - 1;
        if (last && (config().eulerAtFinal || taperOff || config().finalSigma == FinalSigma::Zero))
            return 1;
        const int most = step == steps() - 2 && taperOff ? 2 : 3;
        return std::min({config().solverOrder, step + 1, most});
    }

    ModelOutputHistory m_history;
};

/// DPM-Solver++ of the diffusion SDE, multistep of order 2 ("DPM++ 2M SDE", Lu et al., 2022): with half
/// log-SNR lambda, h its difference over the step, D0 the newest clean sample and D1 its divided difference,
///   x' = sigma'/sigma·e^-h·x + alpha'·(1 - e^-2h)·(D0 + D1/2) + sigma'·sqrt(1 - e^-2h)·noise.
class DpmSdeScheduler final : public Scheduler {
  public:
    DpmSdeScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule), m_history(order) {}

    [[nodiscard]] SchedulerState state() const override { return m_history.state(); }

  private:
    static constexpr int order = 2;

    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        m_history.push(predictedClean(modelOutput, sample, sigmas()[here]));
        const float target = sigmas()[here + 1];
        if (target == 0.0F)
            return m_history[0].clone();
        const auto lambda = [&](std::size_t index) { return noiseLevel(sigmas()[index], true).lambda; };
        const float h = lambda(here + 1) - lambda(here);
        const float gained = 1.0F - std::exp(-2.0F * h);
        const float sampleScale = target / sigmas()[here] * std::exp(-h);
        const float cleanScale = (1.0F - target) * gained;
        const float noiseScale = target * std::sqrt(gained);
        // Half the divided difference, in steps of h.
        const float slope = here == 0 ? 0.0F : 0.5F * h / (lambda(here) - lambda(here - 1));

        const Tensor noise = stepNoise(sample.shape());
        const auto x = sample.data<float>();
        const auto fresh = noise.data<float>();
        const auto newest = m_history[0].data<float>();
        const auto older = m_history[here == 0 ? 0 : 1].data<float>();
        Tensor next = Tensor::empty(sample.shape());
        const auto out = next.data<float>();
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = sampleScale * x[i] + cleanScale * (newest[i] + slope * (newest[i] - older[i])) +
                     noiseScale * fresh[i];
        return next;
    }

    void restoreState(int step, const StateLookup& lookup) override { m_history.restore(step, lookup); }

    ModelOutputHistory m_history;
};

}  // namespace

std::unique_ptr<Scheduler> makeUniPc(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<UniPcScheduler>(std::move(config), makeSchedule);
}

std::unique_ptr<Scheduler> makeFlowEuler(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<FlowEulerScheduler>(std::move(config), makeSchedule);
}

std::unique_ptr<Scheduler> makeFlowHeun(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<FlowHeunScheduler>(std::move(config), makeSchedule);
}

std::unique_ptr<Scheduler> makeFlowLcm(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<FlowLcmScheduler>(std::move(config), makeSchedule);
}

std::unique_ptr<Scheduler> makeDpmSolver(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<DpmSolverScheduler>(std::move(config), makeSchedule);
}

std::unique_ptr<Scheduler> makeDpmSde(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<DpmSdeScheduler>(std::move(config), makeSchedule);
}

}  // namespace meshreel
