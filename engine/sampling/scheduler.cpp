// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/scheduler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/sampling/noise.h"
#include "engine/sampling/samplers.h"
#include "engine/sampling/sigma_schedules.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

using nlohmann::json;

// The config.

/// Reads typed values out of one JSON object and turns every problem into Error{Input} with the file's name.
class Fields {
  public:
    Fields(const json& object, const std::string& where) : m_object(object), m_where(where) {
        if (!object.is_object())
            fail(sentence("a scheduler config must be a JSON object"),
                 sentence("Restore the file from the checkpoint's source"));
    }

    [[noreturn]] void fail(Sentence message, Sentence hint) const {
        throw Error(ErrorKind::Input, std::move(message), m_where, std::move(hint));
    }

    /// Leaves `value` alone when the key is absent or null.
    template <typename T>
    void read(const char* key, T& value) const {
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null())
            return;
        try {
            found->get_to(value);
        } catch (const json::exception&) {
            fail(sentence("`{}` has the value {}, which is of the wrong type", key, found->dump()),
                 sentence("Correct the scheduler config"));
        }
    }

    void read(const char* key, std::optional<double>& value) const {
        double number = 0.0;
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null())
            return;
        read(key, number);
        value = number;
    }

    [[nodiscard]] bool flag(const char* key, bool byDefault) const {
        read(key, byDefault);
        return byDefault;
    }

    template <typename E>
    void readChoice(const char* key, std::span<const std::pair<std::string_view, E>> choices,
                    E& value) const {
        std::string text;
        read(key, text);
        if (text.empty())
            return;
        const auto found = std::ranges::find(choices, text, &std::pair<std::string_view, E>::first);
        if (found != choices.end()) {
            value = found->second;
            return;
        }
        std::string known;
        for (const auto& [name, meaning] : choices)
            known += (known.empty() ? "" : ", ") + std::string(name);
        fail(sentence("`{}` is \"{}\", which is not supported", key, text), sentence("Use one of {}", known));
    }

    void refuseWhenSet(const char* key) const {
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null() || *found == json(false))
            return;
        fail(sentence("`{}` is {}, which is not supported", key, found->dump()),
             sentence("Remove the key from the scheduler config"));
    }

  private:
    const json& m_object;
    const std::string& m_where;
};

template <typename E>
using Choice = std::pair<std::string_view, E>;

constexpr std::array<Choice<FinalSigma>, 2> finalSigmaChoices{
    {{"zero", FinalSigma::Zero}, {"sigma_min", FinalSigma::SigmaMin}}};
constexpr std::array<Choice<TimestepSpacing>, 3> timestepSpacingChoices{
    {{"linspace", TimestepSpacing::Linspace},
     {"leading", TimestepSpacing::Leading},
     {"trailing", TimestepSpacing::Trailing}}};
// Names of other solvers mean the class's default, as upstream's constructors have it.
constexpr std::array<Choice<UniPcSolver>, 5> uniPcSolverChoices{{{"bh1", UniPcSolver::Bh1},
                                                                 {"bh2", UniPcSolver::Bh2},
                                                                 {"midpoint", UniPcSolver::Bh2},
                                                                 {"heun", UniPcSolver::Bh2},
                                                                 {"logrho", UniPcSolver::Bh2}}};
constexpr std::array<Choice<DpmSolver>, 5> dpmSolverChoices{{{"midpoint", DpmSolver::Midpoint},
                                                             {"heun", DpmSolver::Heun},
                                                             {"logrho", DpmSolver::Midpoint},
                                                             {"bh1", DpmSolver::Midpoint},
                                                             {"bh2", DpmSolver::Midpoint}}};
constexpr std::array<Choice<bool>, 2> betaScheduleChoices{{{"linear", false}, {"scaled_linear", true}}};
constexpr std::array<Choice<bool>, 1> predictionChoices{{{"flow_prediction", true}}};
constexpr std::array<Choice<bool>, 1> algorithmChoices{{{"dpmsolver++", true}}};

constexpr std::array refusedKeys{"thresholding",        "use_dynamic_shifting", "solver_p",
                                 "trained_betas",       "use_beta_sigmas",      "rescale_betas_zero_snr",
                                 "stochastic_sampling", "invert_sigmas"};

void readSpacing(const Fields& fields, SchedulerConfig& config) {
    const bool karras = fields.flag("use_karras_sigmas", false);
    const bool exponential = fields.flag("use_exponential_sigmas", false);
    if (karras && exponential)
        fields.fail(sentence("`use_karras_sigmas` and `use_exponential_sigmas` are both true"),
                    sentence("Keep one of them"));
    // UniPC is made for diffusion models and needs the setting; the flow classes imply it.
    const bool uniPc = config.className == "UniPCMultistepScheduler";
    config.flowSigmas = !uniPc || fields.flag("use_flow_sigmas", false);
    if (karras)
        config.spacing = SigmaSpacing::Karras;
    else if (exponential)
        config.spacing = SigmaSpacing::Exponential;
    else
        config.spacing = config.flowSigmas ? SigmaSpacing::Flow : SigmaSpacing::Training;
    if (uniPc && exponential && config.flowSigmas)
        fields.fail(sentence("`use_exponential_sigmas` with `use_flow_sigmas` has noise levels above 1, "
                             "which no flow has"),
                    sentence("Set one of them to false"));
    if (uniPc && config.shiftTerminal && config.spacing != SigmaSpacing::Flow)
        fields.fail(sentence("`shift_terminal` needs evenly spaced flow sigmas"),
                    sentence("Remove `shift_terminal`"));
}

void requireSane(const Fields& fields, const SchedulerConfig& config) {
    if (config.numTrainTimesteps < 1)
        fields.fail(sentence("`num_train_timesteps` is {}", config.numTrainTimesteps),
                    sentence("It must be at least 1"));
    if (config.solverOrder < 1 || config.solverOrder > 3)
        fields.fail(sentence("`solver_order` is {}", config.solverOrder), sentence("Use 1, 2 or 3"));
    if (!(config.flowShift > 0.0))
        fields.fail(sentence("the flow shift is {:f}", config.flowShift), sentence("It must be above 0"));
    const bool wan = config.className.starts_with("Flow") && config.className.ends_with("MultistepScheduler");
    if (wan && config.finalSigma == FinalSigma::SigmaMin)
        fields.fail(sentence("`final_sigmas_type` \"sigma_min\" has no meaning in {}", config.className),
                    sentence("Use \"zero\""));
}

}  // namespace

SchedulerConfig SchedulerConfig::fromJson(const json& object, const std::string& where) {
    const Fields fields(object, where);
    SchedulerConfig config;
    fields.read("_class_name", config.className);
    // diffusers' DPM-Solver++, which Animate-2's checkpoint names, with flow noise levels: that of Wan's own
    // programs, for which that model was made.
    if (config.className == "DPMSolverMultistepScheduler")
        config.className = "FlowDPMSolverMultistepScheduler";
    for (const char* key : refusedKeys)
        fields.refuseWhenSet(key);

    fields.read("num_train_timesteps", config.numTrainTimesteps);
    fields.read("shift", config.flowShift);
    fields.read("flow_shift", config.flowShift);
    fields.read("shift_terminal", config.shiftTerminal);
    fields.read("steps_offset", config.stepsOffset);
    fields.read("sigma_min", config.sigmaMin);
    fields.read("sigma_max", config.sigmaMax);
    fields.read("beta_start", config.betaStart);
    fields.read("beta_end", config.betaEnd);
    fields.read("solver_order", config.solverOrder);
    fields.read("lower_order_final", config.lowerOrderFinal);
    fields.read("euler_at_final", config.eulerAtFinal);
    fields.read("disable_corrector", config.disableCorrector);
    fields.readChoice<FinalSigma>("final_sigmas_type", finalSigmaChoices, config.finalSigma);
    fields.readChoice<TimestepSpacing>("timestep_spacing", timestepSpacingChoices, config.timestepSpacing);
    fields.readChoice<bool>("beta_schedule", betaScheduleChoices, config.scaledLinearBetas);
    if (config.className == "FlowDPMSolverMultistepScheduler")
        fields.readChoice<DpmSolver>("solver_type", dpmSolverChoices, config.dpmSolver);
    else
        fields.readChoice<UniPcSolver>("solver_type", uniPcSolverChoices, config.uniPcSolver);

    bool supported = true;
    fields.readChoice<bool>("prediction_type", predictionChoices, supported);
    fields.readChoice<bool>("algorithm_type", algorithmChoices, supported);
    if (!fields.flag("predict_x0", true))
        fields.fail(sentence("`predict_x0` is false, which a flow model cannot be sampled with"),
                    sentence("Set it to true"));

    readSpacing(fields, config);
    requireSane(fields, config);
    return config;
}

NoiseLevel noiseLevel(float sigma, bool flow) {
    const float alpha = flow ? 1.0F - sigma : 1.0F / std::sqrt(sigma * sigma + 1.0F);
    const float scaled = flow ? sigma : sigma * alpha;
    return {alpha, scaled, std::log(alpha) - std::log(scaled)};
}

namespace {

constexpr std::array<SchedulerKind, 9> kinds{{
    {"unipc", "UniPCMultistepScheduler",
     "predictor-corrector of order 2, what Wan's diffusers checkpoints use", uniPcSigmas, makeUniPc},
    {"euler", "FlowMatchEulerDiscreteScheduler", "one straight step at a time along the flow",
     flowEulerSigmas, makeFlowEuler},
    {"wan_unipc", "FlowUniPCMultistepScheduler", "UniPC with the noise levels of Wan's own programs",
     wanUniPcSigmas, makeUniPc},
    {"wan_dpmpp", "FlowDPMSolverMultistepScheduler",
     "DPM-Solver++ with the noise levels of Wan's own programs", wanDpmSigmas, makeDpmSolver},
    // Upstream's FlowDPMSolverMultistepScheduler with algorithm_type sde-dpmsolver++.
    {"wan_dpmpp_sde", "FlowDPMSolverSdeMultistepScheduler",
     "DPM-Solver++ that adds noise at every step (2M SDE), with the noise levels of Wan's own programs",
     wanDpmSigmas, makeDpmSde},
    {"heun", "FlowMatchHeunDiscreteScheduler",
     "Heun's method: each step but the last is computed twice and is of second order", flowHeunSigmas,
     makeFlowHeun},
    {"lcm", "FlowMatchLCMScheduler",
     "for models distilled to a few steps: each predicts the video and noises it anew", flowEulerSigmas,
     makeFlowLcm},
    // Of RES4LYF and ComfyUI; diffusers has none.
    {"res_2s", "FlowRes2sScheduler",
     "exponential integrator of second order: each step but the last is computed twice", flowRes2sSigmas,
     makeFlowRes2s},
    {"res_multistep", "FlowResMultistepScheduler",
     "exponential integrator of second order that remembers the step before: one pass a step",
     flowEulerSigmas, makeFlowResMultistep},
}};

std::string spacingNames() {
    std::string names(automaticSpacing);
    for (const OwnSpacing& own : ownSpacings())
        names += ", " + std::string(own.name);
    return names;
}

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

namespace {

SchedulerConfig chooseKind(const SchedulerConfig& ofCheckpoint, std::string_view name) {
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

}  // namespace

SchedulerConfig chooseScheduler(const SchedulerConfig& ofCheckpoint, std::string_view name,
                                std::string_view spacing) {
    SchedulerConfig config = chooseKind(ofCheckpoint, name);
    if (spacing == automaticSpacing)
        return config;
    const OwnSpacing* const own = findOwnSpacing(spacing);
    if (own == nullptr)
        throw Error(ErrorKind::Project, sentence("There is no spacing of noise levels \"{}\"", spacing),
                    "sigma_spacing", sentence("Use one of {}", spacingNames()));
    if (!config.flowSigmas)
        throw Error(ErrorKind::Project,
                    sentence("The spacing {} is for flows, which the checkpoint's {} does not follow",
                             spacing, config.className),
                    "sigma_spacing", sentence("Set it to {}, or choose another scheduler", automaticSpacing));
    config.spacing = own->spacing;
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
    m_dropped = 0;
    begin(m_makeSchedule(m_config, steps, {}));
}

void Scheduler::setTimesteps(std::span<const double> sigmas) {
    const bool inside = std::ranges::all_of(sigmas, [](double sigma) { return sigma > 0.0 && sigma <= 1.0; });
    if (sigmas.empty() || !inside || !std::ranges::is_sorted(sigmas, std::ranges::greater{}))
        throw Error(ErrorKind::Project,
                    sentence("Custom sigmas must be at least one number in (0, 1], descending"), "sigmas",
                    sentence("Correct the list"));
    m_dropped = 0;
    begin(m_makeSchedule(m_config, static_cast<int>(sigmas.size()), sigmas));
}

void Scheduler::keepLast(double part) {
    const int each = stepsOfLevel();
    const int levels = (steps() + each - 1) / each;
    const auto kept = static_cast<int>(part * levels);
    if (kept < 1 || kept > levels)
        throw Error(ErrorKind::Project, sentence("Of {} noise levels {} would be left", levels, kept),
                    "strength", sentence("Use a higher strength or more steps"));
    SigmaSchedule rest = m_schedule;
    m_dropped = (levels - kept) * each;
    rest.sigmas.erase(rest.sigmas.begin(), rest.sigmas.begin() + m_dropped);
    rest.timesteps.erase(rest.timesteps.begin(), rest.timesteps.begin() + m_dropped);
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

NoiseLevel Scheduler::levelOf(int step) const {
    return noiseLevel(sigmas()[static_cast<std::size_t>(step)], m_config.flowSigmas);
}

Tensor Scheduler::addNoise(const Tensor& clean, const Tensor& noise, int step) const {
    if (step < 0 || step >= steps() || clean.shape() != noise.shape())
        throw Error(ErrorKind::Internal, "noise of shape " + noise.shape().text() +
                                             " was added to a sample of shape " + clean.shape().text() +
                                             " at step " + std::to_string(step));
    const NoiseLevel level = levelOf(step);
    Tensor noised = Tensor::empty(clean.shape());
    std::ranges::transform(clean.data<float>(), noise.data<float>(), noised.data<float>().begin(),
                           [&level](float x, float n) { return level.alpha * x + level.sigma * n; });
    return noised;
}

Tensor Scheduler::predictedClean(const Tensor& modelOutput, const Tensor& sample, float sigma) {
    Tensor clean = Tensor::empty(sample.shape());
    std::ranges::transform(sample.data<float>(), modelOutput.data<float>(), clean.data<float>().begin(),
                           [sigma](float x, float velocity) { return x - sigma * velocity; });
    return clean;
}

Tensor Scheduler::stepNoise(const Shape& shape) const {
    if (m_framesBehind == 0)
        return drawNoise(shape);
    constexpr std::size_t frameAxis = 2;
    const std::int64_t frames = shape[frameAxis];
    return sliced(drawNoise(shape.with(frameAxis, frames + m_framesBehind)), frameAxis, 0, frames);
}

Tensor Scheduler::drawNoise(const Shape& shape) const {
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

std::vector<ExpertSteps> expertSteps(std::span<const double> timesteps, std::optional<double> boundary) {
    std::vector<ExpertSteps> stretches;
    for (int step = 0; step < std::ssize(timesteps); ++step) {
        const bool low = boundary && timesteps[static_cast<std::size_t>(step)] < *boundary;
        const int expert = low ? 2 : 1;
        if (stretches.empty() || stretches.back().expert != expert)
            stretches.push_back({.expert = expert, .firstStep = step, .endStep = step});
        ++stretches.back().endStep;
    }
    return stretches;
}

}  // namespace meshreel
