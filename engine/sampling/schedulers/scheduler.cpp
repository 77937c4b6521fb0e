// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/scheduler.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/sampling/random/noise.h"
#include "engine/sampling/schedulers/dpm_sde_scheduler.h"
#include "engine/sampling/schedulers/dpm_solver_scheduler.h"
#include "engine/sampling/schedulers/flow_euler_scheduler.h"
#include "engine/sampling/schedulers/flow_heun_scheduler.h"
#include "engine/sampling/schedulers/flow_lcm_scheduler.h"
#include "engine/sampling/schedulers/noise_level.h"
#include "engine/sampling/schedulers/uni_pc_scheduler.h"

namespace meshreel {
namespace {

template <typename T>
std::unique_ptr<Scheduler> make(SchedulerConfig config, SigmaScheduleFunction makeSchedule) {
    return std::make_unique<T>(std::move(config), makeSchedule);
}

constexpr std::array<SchedulerKind, 7> kinds{{
    {"unipc", "UniPCMultistepScheduler",
     "predictor-corrector of order 2, what Wan's diffusers checkpoints use", uniPcSigmas,
     make<UniPcScheduler>},
    {"euler", "FlowMatchEulerDiscreteScheduler", "one straight step at a time along the flow",
     flowEulerSigmas, make<FlowEulerScheduler>},
    {"wan_unipc", "FlowUniPCMultistepScheduler", "UniPC with the noise levels of Wan's own programs",
     wanUniPcSigmas, make<UniPcScheduler>},
    {"wan_dpmpp", "FlowDPMSolverMultistepScheduler",
     "DPM-Solver++ with the noise levels of Wan's own programs", wanDpmSigmas, make<DpmSolverScheduler>},
    // Upstream's FlowDPMSolverMultistepScheduler with algorithm_type sde-dpmsolver++.
    {"wan_dpmpp_sde", "FlowDPMSolverSdeMultistepScheduler",
     "DPM-Solver++ that adds noise at every step (2M SDE), with the noise levels of Wan's own programs",
     wanDpmSigmas, make<DpmSdeScheduler>},
    {"heun", "FlowMatchHeunDiscreteScheduler",
     "Heun's method: each step but the last is computed twice and is of second order", flowHeunSigmas,
     make<FlowHeunScheduler>},
    {"lcm", "FlowMatchLCMScheduler",
     "for models distilled to a few steps: each predicts the video and noises it anew", flowEulerSigmas,
     make<FlowLcmScheduler>},
}};

std::string schedulerNames() {
    std::string names;
    for (const SchedulerKind& kind : kinds)
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    return names;
}

}  // namespace

std::span<const SchedulerKind> schedulerKinds() {
    return kinds;
}

const SchedulerKind* findSchedulerKind(std::string_view name) {
    const auto found = std::ranges::find_if(
        kinds, [&](const SchedulerKind& kind) { return kind.name == name || kind.className == name; });
    return found == kinds.end() ? nullptr : &*found;
}

SchedulerConfig chooseScheduler(const SchedulerConfig& ofCheckpoint, std::string_view name) {
    if (name.empty() || name == checkpointScheduler)
        return ofCheckpoint;
    const SchedulerKind* kind = findSchedulerKind(name);
    if (kind == nullptr) {
        std::vector<std::string_view> names{checkpointScheduler};
        for (const SchedulerKind& known : kinds)
            names.push_back(known.name);
        const std::string_view nearest = nearestName(name, names);
        throw Error(ErrorKind::Project, sentence("There is no scheduler \"{}\"", name), "scheduler",
                    nearest.empty() ? sentence("Use one of {}", schedulerNames())
                                    : sentence("Did you mean \"{}\"?", nearest));
    }
    if (kind->className == ofCheckpoint.className)
        return ofCheckpoint;
    SchedulerConfig config;
    config.className = kind->className;
    config.flowShift = ofCheckpoint.flowShift;
    config.numTrainTimesteps = ofCheckpoint.numTrainTimesteps;
    return config;
}

std::unique_ptr<Scheduler> makeScheduler(const SchedulerConfig& config) {
    const SchedulerKind* kind = findSchedulerKind(config.className);
    if (kind == nullptr)
        throw Error(ErrorKind::Input,
                    sentence("The checkpoint asks for the scheduler {}, which Meshreel does not have",
                             config.className),
                    "scheduler", sentence("Choose one with the key `scheduler`: {}", schedulerNames()));
    return kind->make(config, kind->makeSchedule);
}

Scheduler::Scheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule)
    : m_config(std::move(config)), m_makeSchedule(makeSchedule) {}

void Scheduler::setTimesteps(int steps) {
    if (steps < 1)
        throw Error(ErrorKind::Project, sentence("A run of {} steps was asked for", steps),
                    "num_inference_steps", sentence("Use at least 1"));
    begin(m_makeSchedule(m_config, steps, {}));
}

void Scheduler::setTimesteps(std::span<const double> sigmas) {
    const bool inside = std::ranges::all_of(sigmas, [](double sigma) { return sigma > 0.0 && sigma <= 1.0; });
    if (sigmas.empty() || !inside || !std::ranges::is_sorted(sigmas, std::ranges::greater{}))
        throw Error(ErrorKind::Project,
                    sentence("Custom sigmas must be at least one number in (0, 1], descending"), "sigmas",
                    sentence("Correct the list"));
    begin(m_makeSchedule(m_config, static_cast<int>(sigmas.size()), sigmas));
}

void Scheduler::dropFirst(int dropped) {
    if (dropped < 0 || dropped >= steps())
        throw Error(ErrorKind::Project, sentence("Of {} steps {} were left out", steps(), dropped),
                    "strength", sentence("Use a higher strength or more steps"));
    SigmaSchedule rest = m_schedule;
    rest.sigmas.erase(rest.sigmas.begin(), rest.sigmas.begin() + dropped);
    rest.timesteps.erase(rest.timesteps.begin(), rest.timesteps.begin() + dropped);
    begin(std::move(rest));
}

void Scheduler::begin(SigmaSchedule schedule) {
    m_schedule = std::move(schedule);
    m_step = 0;
    restoreState(0, {});
}

Tensor Scheduler::step(const Tensor& modelOutput, const Tensor& sample) {
    if (m_step >= steps())
        throw Error(ErrorKind::Internal,
                    "a scheduler of " + std::to_string(steps()) + " steps was stepped once more");
    if (modelOutput.shape() != sample.shape())
        throw Error(ErrorKind::Internal, "a scheduler got a model output of shape " +
                                             modelOutput.shape().text() + " for a sample of shape " +
                                             sample.shape().text());
    Tensor next = advance(modelOutput, sample);
    ++m_step;
    return next;
}

Tensor Scheduler::addNoise(const Tensor& clean, const Tensor& noise, int step) const {
    if (step < 0 || step >= steps() || clean.shape() != noise.shape())
        throw Error(ErrorKind::Internal, "noise of shape " + noise.shape().text() +
                                             " was added to a sample of shape " + clean.shape().text() +
                                             " at step " + std::to_string(step));
    const NoiseLevel level = noiseLevel(sigmas()[static_cast<std::size_t>(step)], m_config.flowSigmas);
    Tensor noised = Tensor::empty(clean.shape());
    std::ranges::transform(clean.data<float>(), noise.data<float>(), noised.data<float>().begin(),
                           [&level](float x, float n) { return level.alpha * x + level.sigma * n; });
    return noised;
}

Tensor Scheduler::stepNoise(const Shape& shape) const {
    // The initial noise is the first stretch of a seed's sequence, step s has stretch s + 1.
    const auto videos = std::ssize(m_noiseSeeds);
    if (videos == 1)
        return counterNormal(m_noiseSeeds.front(), shape, (m_step + 1) * shape.elements());
    Tensor noise = Tensor::empty(shape);
    for (std::int64_t video = 0; video < videos; ++video) {
        Tensor own = noise.slice(video, video + 1);
        std::ranges::copy(counterNormal(m_noiseSeeds[static_cast<std::size_t>(video)], own.shape(),
                                        (m_step + 1) * own.shape().elements())
                              .data<float>(),
                          own.data<float>().begin());
    }
    return noise;
}

void Scheduler::restore(int step, const StateLookup& lookup) {
    if (step < 0 || step > steps())
        throw Error(ErrorKind::Input, sentence("The saved run stands at step {} of {}", step, steps()),
                    "checkpoint", sentence("Resume with the run's own number of steps"));
    restoreState(step, lookup);
    m_step = step;
}

}  // namespace meshreel
