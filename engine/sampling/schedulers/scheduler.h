// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sampling/schedulers/scheduler_config.h"
#include "engine/sampling/schedulers/sigma_schedule.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

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
    /// The same with the run's own noise levels, descending in (0, 1], to which the flow shift is applied as
    /// upstream's class does.
    void setTimesteps(std::span<const double> sigmas);

    /// What schedulers that add noise draw it from, a seed for each video of the batch; the initial noise of
    /// the same seed is other noise.
    void setNoiseSeeds(std::vector<std::uint64_t> seeds) { m_noiseSeeds = std::move(seeds); }
    /// Leaves out the first steps, as if the run began behind them; call it after setTimesteps.
    void dropFirst(int steps);

    [[nodiscard]] const SchedulerConfig& config() const { return m_config; }
    [[nodiscard]] int steps() const { return static_cast<int>(m_schedule.timesteps.size()); }
    [[nodiscard]] int stepIndex() const { return m_step; }
    /// One noise level a step and the final one: steps() + 1.
    [[nodiscard]] std::span<const float> sigmas() const { return m_schedule.sigmas; }
    /// What the model is told at each step; whole numbers except for flow-match Euler.
    [[nodiscard]] std::span<const double> timesteps() const { return m_schedule.timesteps; }

    /// The sample after the current step; advances the step index. Both tensors are f32 and of one shape.
    Tensor step(const Tensor& modelOutput, const Tensor& sample);

    /// A clean sample noised to the level of step `step` (0 to steps() - 1), to start a run in its middle.
    [[nodiscard]] Tensor addNoise(const Tensor& clean, const Tensor& noise, int step) const;

    /// Everything that the steps to come need besides the sample and stepIndex().
    [[nodiscard]] virtual SchedulerState state() const { return {}; }

    /// Continues a run saved after `step` steps; call it after setTimesteps. Later steps give the same bits.
    void restore(int step, const StateLookup& lookup);

  protected:
    Scheduler(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

    /// The update of step stepIndex().
    virtual Tensor advance(const Tensor& modelOutput, const Tensor& sample) = 0;
    /// The current step's own noise, standard normal.
    [[nodiscard]] Tensor stepNoise(const Shape& shape) const;
    /// Fetches the state of a run in which `step` steps are done; 0 forgets everything.
    virtual void restoreState(int step, const StateLookup& lookup) = 0;

  private:
    void begin(SigmaSchedule schedule);

    SchedulerConfig m_config;
    SigmaScheduleFunction m_makeSchedule;
    SigmaSchedule m_schedule;
    int m_step = 0;
    std::vector<std::uint64_t> m_noiseSeeds{0};
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
/// By project name or by class name; null when there is none.
const SchedulerKind* findSchedulerKind(std::string_view name);

/// The project key `scheduler`'s value for "the checkpoint's own".
inline constexpr std::string_view checkpointScheduler = "auto";

/// The config that a run uses: the checkpoint's when `name` is empty or "auto", else upstream's defaults of
/// the named kind with the checkpoint's flow shift and training length. Throws Error{Project} for an unknown
/// name.
SchedulerConfig chooseScheduler(const SchedulerConfig& ofCheckpoint, std::string_view name);

/// Throws Error{Input} when the config names a class that is not in schedulerKinds().
std::unique_ptr<Scheduler> makeScheduler(const SchedulerConfig& config);

}  // namespace meshreel
