// SPDX-License-Identifier: GPL-3.0-or-later
// Exponential integrators of dx/ds = (x - D)/s, s the noise level and D the predicted clean sample, over
// h = ln(s/s'): exact where D is a line in ln s (Zhang et al., "Improved Order Analysis and Design of
// Exponential Integrator for Diffusion Models Sampling", 2023, arXiv 2308.02157). A flow's (1 - s) cancels
// out.
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/sampling/samplers.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

/// φ1(z) = (e^z - 1)/z and φ2(z) = (φ1(z) - 1)/z, which are 1 and one half at 0.
struct Phi {
    explicit Phi(double z) : one(z == 0 ? 1 : std::expm1(z) / z), two(z == 0 ? 0.5 : (one - 1) / z) {}

    double one;
    double two;
};

double stepOver(float from, float to) {
    return std::log(static_cast<double>(from) / static_cast<double>(to));
}

/// x + first·(D1 - x) + second·(D2 - x).
Tensor towards(const Tensor& x, const Tensor& clean, double first, const Tensor& other, double second) {
    Tensor next = Tensor::empty(x.shape());
    const auto out = next.data<float>();
    const auto from = x.data<float>();
    const auto d1 = clean.data<float>();
    const auto d2 = other.data<float>();
    const auto a = static_cast<float>(first);
    const auto b = static_cast<float>(second);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = from[i] + a * (d1[i] - from[i]) + b * (d2[i] - from[i]);
    return next;
}

/// A step is two of the scheduler's: to the geometric mean of its levels, and to its end.
class FlowRes2sScheduler final : public Scheduler {
  public:
    FlowRes2sScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

    [[nodiscard]] SchedulerState state() const override {
        if (!isSecond(stepIndex()))
            return {};
        return {{std::string(sampleName), m_sample}, {std::string(cleanName), m_clean}};
    }

  private:
    static constexpr std::string_view sampleName = "res.sample";
    static constexpr std::string_view cleanName = "res.clean";
    static constexpr double middle = 0.5;  // c2: of h, where the second pass is

    static bool isSecond(int step) { return step % 2 == 1; }

    [[nodiscard]] int stepsOfLevel() const override { return 2; }

    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        Tensor clean = predictedClean(modelOutput, sample, sigmas()[here]);
        return isSecond(stepIndex()) ? finish(clean) : begin(sample, std::move(clean));
    }

    Tensor begin(const Tensor& sample, Tensor clean) {
        const auto here = static_cast<std::size_t>(stepIndex());
        if (stepIndex() + 1 == steps())
            return towardsLast(sample, clean);
        const double h = stepOver(sigmas()[here], sigmas()[here + 2]);
        const double scale = h * middle * Phi(-h * middle).one;
        Tensor next = towards(sample, clean, scale, clean, 0);
        m_sample = sample;
        m_clean = std::move(clean);
        return next;
    }

    Tensor finish(const Tensor& clean) {
        const auto here = static_cast<std::size_t>(stepIndex());
        const double h = stepOver(sigmas()[here - 1], sigmas()[here + 1]);
        const Phi phi(-h);
        const double second = phi.two / middle;
        Tensor next = towards(m_sample, m_clean, h * (phi.one - second), clean, h * second);
        m_sample = m_clean = Tensor();
        return next;
    }

    /// The last step is of first order: to no noise it is infinitely long.
    [[nodiscard]] Tensor towardsLast(const Tensor& sample, const Tensor& clean) const {
        const float last = sigmas().back();
        const auto here = static_cast<std::size_t>(stepIndex());
        return last == 0 ? clean : towards(sample, clean, 1 - last / sigmas()[here], clean, 0);
    }

    void restoreState(int step, const StateLookup& lookup) override {
        m_sample = isSecond(step) ? lookup(sampleName) : Tensor();
        m_clean = isSecond(step) ? lookup(cleanName) : Tensor();
    }

    // Where the step began and what it predicted; empty when the next pass begins a step.
    Tensor m_sample;
    Tensor m_clean;
};

/// With the prediction of the step before. The first step and that to no noise are Euler's.
class FlowResMultistepScheduler final : public Scheduler {
  public:
    FlowResMultistepScheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
        : Scheduler(std::move(config), makeSchedule) {}

    [[nodiscard]] SchedulerState state() const override {
        if (stepIndex() == 0)
            return {};
        return {{std::string(olderName), m_older}};
    }

  private:
    static constexpr std::string_view olderName = "res.clean";

    Tensor advance(const Tensor& modelOutput, const Tensor& sample) override {
        const auto here = static_cast<std::size_t>(stepIndex());
        const float from = sigmas()[here];
        const float to = sigmas()[here + 1];
        Tensor clean = predictedClean(modelOutput, sample, from);
        Tensor next;
        if (to == 0) {
            next = clean;
        } else if (stepIndex() == 0) {
            next = towards(sample, clean, 1 - to / from, clean, 0);
        } else {
            const double h = stepOver(from, to);
            const double before = -stepOver(sigmas()[here - 1], from) / h;
            const Phi phi(-h);
            const double older = phi.two / before;
            next = towards(sample, clean, h * (phi.one - older), m_older, h * older);
        }
        m_older = std::move(clean);
        return next;
    }

    void restoreState(int step, const StateLookup& lookup) override {
        m_older = step > 0 ? lookup(olderName) : Tensor();
    }

    Tensor m_older;  // the clean sample that the step before predicted
};

}  // namespace

std::unique_ptr<Scheduler> makeFlowRes2s(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<FlowRes2sScheduler>(std::move(config), makeSchedule);
}

std::unique_ptr<Scheduler> makeFlowResMultistep(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<FlowResMultistepScheduler>(std::move(config), makeSchedule);
}

}  // namespace meshreel
