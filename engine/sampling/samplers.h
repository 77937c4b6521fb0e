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

/// DPM-Solver++ multistep of order 1 to 3.
std::unique_ptr<Scheduler> makeDpmSolver(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// DPM-Solver++ of the diffusion SDE ("DPM++ 2M SDE").
std::unique_ptr<Scheduler> makeDpmSde(SchedulerConfig config, SigmaScheduleFunction makeSchedule);

/// flowEulerSigmas() with every level between the ends twice.
SigmaSchedule flowHeunSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom);

}  // namespace meshreel
