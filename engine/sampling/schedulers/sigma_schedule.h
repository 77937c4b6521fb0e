// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/sampling/schedulers/scheduler_config.h"

namespace meshreel {

/// The noise levels of one run and what the model is told at each.
struct SigmaSchedule {
    std::vector<float> sigmas;      ///< one a step and the final one, descending
    std::vector<double> timesteps;  ///< one a step, in [0, numTrainTimesteps]
};

/// Makes the schedule of `steps` steps; `custom`, when not empty, holds the run's own `steps` noise levels.
using SigmaScheduleFunction = SigmaSchedule (*)(const SchedulerConfig& config, int steps,
                                                std::span<const double> custom);

/// UniPCMultistepScheduler.set_timesteps of diffusers; timesteps are truncated to whole numbers.
SigmaSchedule uniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// FlowMatchEulerDiscreteScheduler.set_timesteps of diffusers; timesteps keep their fractions.
SigmaSchedule flowEulerSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// FlowUniPCMultistepScheduler as Wan 2.1's text2video.py calls it (constructed with shift 1, shifted in
/// set_timesteps).
SigmaSchedule wanUniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// FlowDPMSolverMultistepScheduler with Wan's get_sampling_sigmas; custom noise levels are taken as they are.
SigmaSchedule wanDpmSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

}  // namespace meshreel
