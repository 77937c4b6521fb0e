// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/estimates/machine_rates.h"
#include "engine/measure/rate_samples.h"
#include "engine/measure/scratch_run.h"
#include "engine/project/project.h"

namespace meshreel {

/// A run of the embedded model whose stages are timed for rates.
struct RunProbe {
    std::int64_t side;       ///< of the video, in pixels
    bool onDevices = false;  ///< as many as CPUs, in a ring
    bool inBf16 = false;     ///< the transformer
};

/// Returns the project of the probe: 17 frames in 4 steps, on CPUs.
Project probeProject(const RunProbe& probe);

/// Returns whether the run was timed before the round was stopped; its samples, which came together, are
/// taken then.
bool takeEarlierRun(RateSamples& samples, const std::string& name);

/// Returns the stages of a run as samples; denoising becomes one step after the first, and the rest of it.
std::vector<RateSample> takeSamples(const std::string& name, const ScratchRun& run);

}  // namespace meshreel
