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

namespace {

// Noise levels.

/// numpy.linspace(first, last, count), with numpy's rounding: equal whole parts decide equal timesteps.
std::vector<double> linspace(double first, double last, int count) {
    std::vector<double> values(static_cast<std::size_t>(count), first);
    if (count < 2)
        return values;
    const double step = (last - first) / (count - 1);
    for (int i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = i * step + first;
    values.back() = last;
    return values;
}

/// shift * s / (1 + (shift - 1) * s) in the caller's precision.
template <typename T>
T shifted(T shift, T sigma) {
    return shift * sigma / (T(1) + (shift - T(1)) * sigma);
}

void applyShift(std::vector<double>& sigmas, double shift) {
    for (double& sigma : sigmas)
        sigma = shifted(shift, sigma);
}

/// Stretches so that the last noise level becomes `terminal`; pure noise alone has nothing to stretch.
void stretchToTerminal(std::vector<double>& sigmas, double terminal) {
    if (sigmas.back() == 1.0)
        return;
    const double scale = (1.0 - sigmas.back()) / (1.0 - terminal);
    for (double& sigma : sigmas)
        sigma = 1.0 - (1.0 - sigma) / scale;
}

std::vector<double> karras(double sigmaMax, double sigmaMin, int steps) {
    constexpr double karrasRho = 7.0;
    const double from = std::pow(sigmaMax, 1.0 / karrasRho);
    const double to = std::pow(sigmaMin, 1.0 / karrasRho);
    std::vector<double> sigmas = linspace(0.0, 1.0, steps);
    for (double& sigma : sigmas)
        sigma = std::pow(from + sigma * (to - from), karrasRho);
    return sigmas;
}

std::vector<double> exponential(double sigmaMax, double sigmaMin, int steps) {
    std::vector<double> sigmas = linspace(std::log(sigmaMax), std::log(sigmaMin), steps);
    for (double& sigma : sigmas)
        sigma = std::exp(sigma);
    return sigmas;
}

/// Noise levels sqrt((1 - a) / a), a the cumulated product of 1 - beta, of every training timestep;
/// ascending. torch keeps betas and products in f32 and accumulates in f64.
std::vector<double> trainingSigmas(const SchedulerConfig& config) {
    const int count = config.numTrainTimesteps;
    const auto ends = config.scaledLinearBetas
                          ? std::pair{std::sqrt(config.betaStart), std::sqrt(config.betaEnd)}
                          : std::pair{config.betaStart, config.betaEnd};
    const std::vector<double> betas = linspace(ends.first, ends.second, count);
    std::vector<double> sigmas;
    sigmas.reserve(betas.size());
    double product = 1.0;
    for (const double value : betas) {
        const auto linear = static_cast<float>(value);
        const float beta = config.scaledLinearBetas ? linear * linear : linear;
        product *= static_cast<double>(1.0F - beta);
        const auto alpha = static_cast<float>(product);
        sigmas.push_back(static_cast<double>(std::sqrt((1.0F - alpha) / alpha)));
    }
    return sigmas;
}

/// The training timestep whose noise level is `sigma`, by interpolation in log sigma.
double toTimestep(double sigma, const std::vector<double>& training) {
    const auto last = static_cast<std::ptrdiff_t>(training.size()) - 1;
    const auto above = std::upper_bound(training.begin(), training.end(), sigma) - training.begin();
    const std::ptrdiff_t low =
        std::clamp<std::ptrdiff_t>(above - 1, 0, std::max<std::ptrdiff_t>(last - 1, 0));
    const std::ptrdiff_t high = std::min(low + 1, last);
    const double logLow = std::log(training[static_cast<std::size_t>(low)]);
    const double logHigh = std::log(training[static_cast<std::size_t>(high)]);
    if (logLow == logHigh)
        return static_cast<double>(low);
    const double weight = std::clamp((logLow - std::log(sigma)) / (logLow - logHigh), 0.0, 1.0);
    return (1.0 - weight) * static_cast<double>(low) + weight * static_cast<double>(high);
}

/// Training timesteps of the run, descending whole numbers.
std::vector<double> spacedTimesteps(const SchedulerConfig& config, int steps) {
    const int trained = config.numTrainTimesteps;
    const std::vector<double> evenly = linspace(0.0, trained - 1, steps + 1);
    const double ratio = static_cast<double>(trained) / steps;
    const int wholeRatio = trained / (steps + 1);
    std::vector<double> timesteps;
    for (int i = 0; i < steps; ++i) {
        switch (config.timestepSpacing) {
            case TimestepSpacing::Linspace:
                timesteps.push_back(std::nearbyint(evenly[static_cast<std::size_t>(steps - i)]));
                break;
            case TimestepSpacing::Leading:
                timesteps.push_back((steps - i) * wholeRatio + config.stepsOffset);
                break;
            case TimestepSpacing::Trailing:
                timesteps.push_back(std::nearbyint(trained - i * ratio) - 1.0);
                break;
        }
    }
    return timesteps;
}

void truncate(std::vector<double>& timesteps) {
    for (double& timestep : timesteps)
        timestep = std::trunc(timestep);
}

std::vector<double> scaled(const std::vector<double>& sigmas, double factor) {
    std::vector<double> result = sigmas;
    for (double& value : result)
        value *= factor;
    return result;
}

std::vector<float> withFinal(const std::vector<double>& sigmas, double last) {
    std::vector<float> result(sigmas.size() + 1);
    std::ranges::transform(sigmas, result.begin(), [](double sigma) { return static_cast<float>(sigma); });
    result.back() = static_cast<float>(last);
    return result;
}

void refuseCustom(std::span<const double> custom, const SchedulerConfig& config) {
    if (!custom.empty())
        throw Error(ErrorKind::Project,
                    sentence("custom sigmas need the evenly spaced flow schedule of {}", config.className),
                    "sigmas", sentence("Switch `use_karras_sigmas` and `use_exponential_sigmas` off"));
}

SigmaSchedule spacedByTraining(const SchedulerConfig& config, int steps) {
    const std::vector<double> training = trainingSigmas(config);
    SigmaSchedule schedule;
    std::vector<double> sigmas;
    if (config.spacing == SigmaSpacing::Training) {
        schedule.timesteps = spacedTimesteps(config, steps);
        for (const double timestep : schedule.timesteps) {
            const double inside = std::clamp(timestep, 0.0, static_cast<double>(training.size() - 1));
            sigmas.push_back(training[static_cast<std::size_t>(inside)]);
        }
        schedule.sigmas = withFinal(sigmas, config.finalSigma == FinalSigma::Zero ? 0.0 : training.front());
        return schedule;
    }
    const bool isKarras = config.spacing == SigmaSpacing::Karras;
    const double sigmaMin = config.sigmaMin.value_or(training.front());
    const double sigmaMax = config.sigmaMax.value_or(training.back());
    sigmas = (isKarras ? karras : exponential)(sigmaMax, sigmaMin, steps);
    if (config.flowSigmas) {
        for (double& sigma : sigmas)
            sigma = sigma / (sigma + 1.0);
        schedule.timesteps = scaled(sigmas, config.numTrainTimesteps);
    } else {
        for (const double sigma : sigmas) {
            const double timestep = toTimestep(sigma, training);
            schedule.timesteps.push_back(isKarras ? std::nearbyint(timestep) : timestep);
        }
    }
    truncate(schedule.timesteps);
    schedule.sigmas = withFinal(sigmas, config.finalSigma == FinalSigma::Zero ? 0.0 : sigmas.back());
    return schedule;
}

/// f32(shift * t / (1 + (shift - 1) * t)) of the first Wan training sigma, (trained - 1) / trained; the last
/// is 0.
double wanSigmaMax(const SchedulerConfig& config) {
    return static_cast<double>(static_cast<float>(1.0 - 1.0 / config.numTrainTimesteps));
}

SigmaSchedule flowSchedule(const SchedulerConfig& config, const std::vector<double>& sigmas) {
    SigmaSchedule schedule;
    schedule.timesteps = scaled(sigmas, config.numTrainTimesteps);
    truncate(schedule.timesteps);
    schedule.sigmas = withFinal(sigmas, config.finalSigma == FinalSigma::Zero ? 0.0 : sigmas.back());
    return schedule;
}

std::vector<double> customOr(std::span<const double> custom, std::vector<double> evenly, int steps) {
    if (!custom.empty())
        return {custom.begin(), custom.end()};
    evenly.resize(static_cast<std::size_t>(steps));  // drops the final level, which is appended later
    return evenly;
}

/// UniPCMultistepScheduler.set_timesteps of diffusers; timesteps are truncated to whole numbers.
SigmaSchedule uniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    if (config.spacing != SigmaSpacing::Flow) {
        refuseCustom(custom, config);
        return spacedByTraining(config, steps);
    }
    std::vector<double> sigmas =
        customOr(custom, linspace(1.0, 1.0 / config.numTrainTimesteps, steps + 1), steps);
    applyShift(sigmas, config.flowShift);
    if (config.shiftTerminal)
        stretchToTerminal(sigmas, *config.shiftTerminal);
    // At sigma 1 the log of alpha = 1 - sigma is infinite.
    constexpr double epsilon = 1e-6;
    if (std::abs(sigmas.front() - 1.0) < epsilon)
        sigmas.front() -= epsilon;
    return flowSchedule(config, sigmas);
}

/// FlowUniPCMultistepScheduler as Wan 2.1's text2video.py calls it (constructed with shift 1, shifted in
/// set_timesteps).
SigmaSchedule wanUniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    std::vector<double> sigmas = customOr(custom, linspace(wanSigmaMax(config), 0.0, steps + 1), steps);
    applyShift(sigmas, config.flowShift);
    return flowSchedule(config, sigmas);
}

/// FlowDPMSolverMultistepScheduler with Wan's get_sampling_sigmas; custom noise levels are taken as they are.
SigmaSchedule wanDpmSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    std::vector<double> sigmas = customOr(custom, linspace(1.0, 0.0, steps + 1), steps);
    if (custom.empty())
        applyShift(sigmas, config.flowShift);
    return flowSchedule(config, sigmas);
}

}  // namespace

SigmaSchedule flowEulerSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    const double trained = config.numTrainTimesteps;
    std::vector<double> sigmas;
    if (custom.empty()) {
        // The class shifts its training sigmas in f32 when it is made, takes their ends, and shifts again.
        const auto shift = static_cast<float>(config.flowShift);
        const double sigmaMax = shifted(shift, 1.0F);
        const double sigmaMin = shifted(shift, 1.0F / static_cast<float>(trained));
        sigmas = linspace(sigmaMax * trained, sigmaMin * trained, steps);
        for (double& sigma : sigmas)
            sigma /= trained;
        applyShift(sigmas, config.flowShift);
    } else {
        // numpy keeps an f32 array f32 through the shift.
        for (const double sigma : custom)
            sigmas.push_back(shifted(static_cast<float>(config.flowShift), static_cast<float>(sigma)));
    }
    if (config.shiftTerminal)
        stretchToTerminal(sigmas, *config.shiftTerminal);
    if (config.spacing == SigmaSpacing::Karras)
        sigmas =
            karras(config.sigmaMax.value_or(sigmas.front()), config.sigmaMin.value_or(sigmas.back()), steps);
    else if (config.spacing == SigmaSpacing::Exponential)
        sigmas = exponential(config.sigmaMax.value_or(sigmas.front()),
                             config.sigmaMin.value_or(sigmas.back()), steps);

    SigmaSchedule schedule;
    schedule.sigmas = withFinal(sigmas, 0.0);
    for (int i = 0; i < steps; ++i)
        schedule.timesteps.push_back(schedule.sigmas[static_cast<std::size_t>(i)] *
                                     static_cast<float>(trained));
    return schedule;
}

NoiseLevel noiseLevel(float sigma, bool flow) {
    const float alpha = flow ? 1.0F - sigma : 1.0F / std::sqrt(sigma * sigma + 1.0F);
    const float scaled = flow ? sigma : sigma * alpha;
    return {alpha, scaled, std::log(alpha) - std::log(scaled)};
}

namespace {

constexpr std::array<SchedulerKind, 7> kinds{{
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
