// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "engine/sampling/scheduler.h"

namespace meshreel {

// The noise levels of the schedulers' kinds; see SigmaScheduleFunction. Those that a spacing of its own
// decides (hasOwnLevels()) are the same for all of them. All throw Error{Project} for `custom` levels of a
// config whose spacing is not that of the flow.

/// UniPCMultistepScheduler.set_timesteps of diffusers; timesteps are truncated to whole numbers.
SigmaSchedule uniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// FlowMatchEulerDiscreteScheduler.set_timesteps of diffusers; timesteps keep their fractions.
SigmaSchedule flowEulerSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// flowEulerSigmas() with every level between the ends twice.
SigmaSchedule flowHeunSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// flowEulerSigmas() with the geometric mean of each two neighbours between them, but for the final one.
SigmaSchedule flowRes2sSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// FlowUniPCMultistepScheduler as Wan 2.1's text2video.py calls it (constructed with shift 1, shifted in
/// set_timesteps).
SigmaSchedule wanUniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// FlowDPMSolverMultistepScheduler with Wan's get_sampling_sigmas; custom noise levels are taken as they are.
SigmaSchedule wanDpmSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

/// A spacing that decides all levels by itself, whatever the scheduler: ComfyUI's `beta`, and what RES4LYF
/// adds to it. A value of the project key `sigma_spacing`.
struct OwnSpacing {
    std::string_view name;
    SigmaSpacing spacing;
    std::string_view help;
};

std::span<const OwnSpacing> ownSpacings();
/// Returns null when there is none.
const OwnSpacing* findOwnSpacing(std::string_view name);
bool hasOwnLevels(SigmaSpacing spacing);

}  // namespace meshreel
