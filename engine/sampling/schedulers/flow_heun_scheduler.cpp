// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/flow_heun_scheduler.h"

namespace meshreel {
namespace {

constexpr std::string_view sampleName = "heun.sample";
constexpr std::string_view velocityName = "heun.velocity";

bool corrects(int step) {
    return step % 2 == 1;
}

}  // namespace

Tensor FlowHeunScheduler::advance(const Tensor& modelOutput, const Tensor& sample) {
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

SchedulerState FlowHeunScheduler::state() const {
    if (!corrects(stepIndex()))
        return {};
    return {{std::string(sampleName), m_sample}, {std::string(velocityName), m_velocity}};
}

void FlowHeunScheduler::restoreState(int step, const StateLookup& lookup) {
    m_sample = corrects(step) ? lookup(sampleName) : Tensor();
    m_velocity = corrects(step) ? lookup(velocityName) : Tensor();
}

SigmaSchedule flowHeunSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    const SigmaSchedule single = flowEulerSigmas(config, steps, custom);
    SigmaSchedule twice;
    for (std::size_t index = 0; index < single.timesteps.size(); ++index)
        for (int copy = index == 0 ? 1 : 0; copy < 2; ++copy) {
            twice.sigmas.push_back(single.sigmas[index]);
            twice.timesteps.push_back(single.timesteps[index]);
        }
    twice.sigmas.push_back(single.sigmas.back());
    return twice;
}

}  // namespace meshreel
