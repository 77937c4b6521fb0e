// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares sigmas, timesteps and trajectories of the schedulers. Throws as verifyCase().
void verifySchedulers(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

/// Compares the spacings of noise levels that have a name of their own, and trajectories of the RES samplers.
/// Throws as verifyCase().
void verifyResSamplers(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel
