// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/scheduler_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using nlohmann::json;

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
    // UniPC is born for diffusion models and has to be told; the flow classes know.
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

}  // namespace meshreel
