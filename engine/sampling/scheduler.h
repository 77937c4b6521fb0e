// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// How the noise levels of a run are spaced.
enum class SigmaSpacing {
    Flow,         ///< evenly in the flow's time, then shifted (`use_flow_sigmas`, what Wan uses)
    Karras,       ///< evenly in sigma^(1/7) (Karras et al., 2022)
    Exponential,  ///< evenly in log sigma
    Training,     ///< evenly in the training timesteps of the variance-preserving schedule
    Beta,         ///< at quantiles of the beta distribution B(0.6, 0.6), then shifted (Lee et al., 2024)
    Beta57,       ///< the same of B(0.5, 0.7)
    BongTangent,  ///< along two arc tangents, without a shift
};

enum class FinalSigma { Zero, SigmaMin };
enum class TimestepSpacing { Linspace, Leading, Trailing };
enum class UniPcSolver { Bh1, Bh2 };
enum class DpmSolver { Midpoint, Heun };

/// What a diffusers `scheduler_config.json` says, for the classes of schedulerKinds(). Defaults are
/// upstream's.
struct SchedulerConfig {
    std::string className = "UniPCMultistepScheduler";
    int numTrainTimesteps = 1000;
    double flowShift = 1.0;  ///< `flow_shift` (UniPC) or `shift` (all others)
    std::optional<double> shiftTerminal;

    SigmaSpacing spacing = SigmaSpacing::Flow;
    bool flowSigmas = true;  ///< alpha = 1 - sigma; otherwise alpha = 1 / sqrt(1 + sigma^2)
    TimestepSpacing timestepSpacing = TimestepSpacing::Linspace;
    int stepsOffset = 0;
    FinalSigma finalSigma = FinalSigma::Zero;
    std::optional<double> sigmaMin;  ///< ends of the Karras and exponential spacings
    std::optional<double> sigmaMax;
    double betaStart = 0.0001;
    double betaEnd = 0.02;
    bool scaledLinearBetas = false;

    int solverOrder = 2;
    UniPcSolver uniPcSolver = UniPcSolver::Bh2;
    DpmSolver dpmSolver = DpmSolver::Midpoint;
    bool lowerOrderFinal = true;
    bool eulerAtFinal = false;
    std::vector<int> disableCorrector;  ///< steps after which UniPC does not correct

    /// Reads a scheduler config; keys of other purposes are ignored. Throws Error{Input} with `where` for a
    /// value of the wrong type and for a setting that is not supported.
    static SchedulerConfig fromJson(const nlohmann::json& json, const std::string& where);
};

/// The noise levels of one run and the timesteps that the model gets.
struct SigmaSchedule {
    std::vector<float> sigmas;      ///< one a step and the final one, descending
    std::vector<double> timesteps;  ///< one a step, in [0, numTrainTimesteps]
};

/// Makes the schedule of `steps` steps; `custom`, when not empty, holds the run's own `steps` noise levels.
using SigmaScheduleFunction = SigmaSchedule (*)(const SchedulerConfig& config, int steps,
                                                std::span<const double> custom);

/// What a noise level means: sample = alpha * clean + sigma * noise. In f32, as upstream has it.
struct NoiseLevel {
    float alpha;
    float sigma;
    float lambda;  ///< half the log signal-to-noise ratio, log(alpha) - log(sigma)
};

/// `flow`: alpha = 1 - sigma. Otherwise `sigma` is noise over signal of a variance-preserving process.
NoiseLevel noiseLevel(float sigma, bool flow);

/// Named tensors that, with the step index, are all of a scheduler's memory.
using SchedulerState = std::vector<std::pair<std::string, Tensor>>;
/// Finds a tensor of a saved SchedulerState by name; throws when it is missing.
using StateLookup = std::function<Tensor(std::string_view name)>;

/// Walks a sample from noise (sigma 1) to the clean latents, one model output a step. Arithmetic is f32, as
/// upstream's; a step is found by its index, never by looking its timestep up.
class Scheduler {
  public:
    virtual ~Scheduler() = default;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Prepares a run of `steps` steps (at least 1) and forgets any previous one.
    void setTimesteps(int steps);
    /// Prepares a run with its own noise levels, descending in (0, 1], to which the flow shift is applied as
    /// upstream's class does.
    void setTimesteps(std::span<const double> sigmas);

    /// What schedulers that add noise draw it from, a seed for each video of the batch; the initial noise of
    /// the same seed is other noise. `framesBehind`: frames that the noise has behind those of the samples
    /// [videos, channels, frames, height, width], and that are not used.
    void setNoiseSeeds(std::vector<std::uint64_t> seeds, std::int64_t framesBehind = 0) {
        m_noiseSeeds = std::move(seeds);
        m_framesBehind = framesBehind;
    }
    /// Keeps the last `part` of the noise levels (rounded down, at least one), as if the run began there;
    /// call it after setTimesteps. Throws Error{Project} where none would be left.
    void keepLast(double part);

    [[nodiscard]] const SchedulerConfig& config() const { return m_config; }
    [[nodiscard]] int steps() const { return static_cast<int>(m_schedule.timesteps.size()); }
    [[nodiscard]] int stepIndex() const { return m_step; }
    /// Returns the steps that keepLast() left out.
    [[nodiscard]] int droppedSteps() const { return m_dropped; }
    /// Returns one noise level a step and the final one: steps() + 1.
    [[nodiscard]] std::span<const float> sigmas() const { return m_schedule.sigmas; }
    /// Returns the noise level of the sample before a step (0 to steps() - 1).
    [[nodiscard]] NoiseLevel levelOf(int step) const;
    /// Returns the timestep that the model gets at each step; whole numbers except for flow-match Euler.
    [[nodiscard]] std::span<const double> timesteps() const { return m_schedule.timesteps; }

    /// Returns the sample after the current step; advances the step index. Both tensors are f32 and of one
    /// shape.
    Tensor step(const Tensor& modelOutput, const Tensor& sample);

    /// Returns a clean sample noised to the level of step `step` (0 to steps() - 1), to start a run in its
    /// middle.
    [[nodiscard]] Tensor addNoise(const Tensor& clean, const Tensor& noise, int step) const;

    /// Everything that the steps to come need besides the sample and stepIndex().
    [[nodiscard]] virtual SchedulerState state() const { return {}; }

    /// Goes on with a run saved after `step` steps; call it after setTimesteps. Later steps give the same
    /// bits.
    void restore(int step, const StateLookup& lookup);

  protected:
    Scheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

    /// Returns how many steps lead from one noise level to the next but the final one, to which one leads.
    [[nodiscard]] virtual int stepsOfLevel() const { return 1; }
    /// Returns the update of step stepIndex().
    virtual Tensor advance(const Tensor& modelOutput, const Tensor& sample) = 0;
    /// Returns the clean sample that a flow model's velocity points to: sample - sigma * modelOutput.
    static Tensor predictedClean(const Tensor& modelOutput, const Tensor& sample, float sigma);
    /// Returns the current step's own noise, standard normal.
    [[nodiscard]] Tensor stepNoise(const Shape& shape) const;
    /// Fetches the state of a run in which `step` steps are done; 0 discards all state.
    virtual void restoreState(int step, const StateLookup& lookup) = 0;

  private:
    void begin(SigmaSchedule schedule);
    /// stepNoise() of samples of a shape, with the frames behind theirs.
    [[nodiscard]] Tensor drawNoise(const Shape& shape) const;

    SchedulerConfig m_config;
    SigmaScheduleFunction m_makeSchedule;
    SigmaSchedule m_schedule;
    int m_step = 0;
    int m_dropped = 0;
    std::vector<std::uint64_t> m_noiseSeeds{0};
    std::int64_t m_framesBehind = 0;
};

/// One scheduler that a project or a checkpoint may name.
struct SchedulerKind {
    std::string_view name;       ///< value of the project key `scheduler`
    std::string_view className;  ///< `_class_name` upstream
    std::string_view help;
    SigmaScheduleFunction makeSchedule;
    std::unique_ptr<Scheduler> (*make)(SchedulerConfig config, SigmaScheduleFunction makeSchedule);
};

std::span<const SchedulerKind> schedulerKinds();
/// Finds it by project name or by class name; returns null when there is none.
const SchedulerKind* findSchedulerKind(std::string_view name);

/// The project key `scheduler`'s value for "the checkpoint's own".
inline constexpr std::string_view checkpointScheduler = "auto";
/// The project key `sigma_spacing`'s value for "the scheduler's own".
inline constexpr std::string_view automaticSpacing = "auto";

/// Returns the config that a run uses: the checkpoint's when `name` is empty or "auto", else upstream's
/// defaults of the named kind with the checkpoint's flow shift and training length; with the noise levels
/// that `spacing` names, unless that is "auto". Throws Error{Project} for an unknown name, and for a spacing
/// where the checkpoint's process is no flow.
SchedulerConfig chooseScheduler(const SchedulerConfig& ofCheckpoint, std::string_view name,
                                std::string_view spacing = automaticSpacing);

/// Throws Error{Input} when the config names a class that is not in schedulerKinds().
std::unique_ptr<Scheduler> makeScheduler(const SchedulerConfig& config);

/// Steps in a row that one transformer computes. Wan 2.2's A14B models have two: one for high noise, one for
/// low.
struct ExpertSteps {
    int expert = 1;  ///< 1: `transformer`; 2: `transformer_2`
    int firstStep = 0;
    int endStep = 0;

    friend bool operator==(const ExpertSteps&, const ExpertSteps&) = default;
};

/// Returns which expert computes which steps: the first expert those whose timestep is `boundary` or above,
/// the second the others. Without a boundary the first computes all.
std::vector<ExpertSteps> expertSteps(std::span<const double> timesteps, std::optional<double> boundary);

}  // namespace meshreel
