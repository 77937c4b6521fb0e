// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>

#include "engine/sampling/scheduler.h"

namespace meshreel {

// Returns the samplers of schedulerKinds().

/// UniPC: predictor-corrector of order 1 to 3.
std::unique_ptr<Scheduler> makeUniPc(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// Euler's method: one straight step at a time along the flow.
std::unique_ptr<Scheduler> makeFlowEuler(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// Heun's method, whose steps are those of flowHeunSigmas().
std::unique_ptr<Scheduler> makeFlowHeun(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// Sampling of consistency and distilled models, which noises each prediction anew.
std::unique_ptr<Scheduler> makeFlowLcm(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// RES, an exponential integrator of the clean sample (Zhang et al., 2023), of one step and second order; its
/// steps are those of flowRes2sSigmas(). As RES4LYF computes res_2s with c2 = 0.5.
std::unique_ptr<Scheduler> makeFlowRes2s(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// The same with the step before in place of a second pass, as ComfyUI computes res_multistep without noise.
std::unique_ptr<Scheduler> makeFlowResMultistep(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// DPM-Solver++ multistep of order 1 to 3.
std::unique_ptr<Scheduler> makeDpmSolver(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// DPM-Solver++ of the diffusion SDE ("DPM++ 2M SDE").
std::unique_ptr<Scheduler> makeDpmSde(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

}  // namespace meshreel
