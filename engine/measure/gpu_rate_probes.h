// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/gpu/chosen_gpu.h"
#include "engine/measure/rate_samples.h"

namespace meshreel {

/// How far a round on a GPU goes. A GPU is slow or fast: sizes rise until a pass takes long.
struct GpuRoundLimits {
    double passSeconds = 1;  ///< no larger pass is timed than takes this long, by the one before it
    bool runs = true;        ///< whole runs, too
};

/// Returns how many things timeGpuRound() times at most: of a slow GPU fewer.
int mostSamplesOfGpuRound();

/// Times everything that rates of a GPU are made of once: copies, transformers, a VAE, runs. Throws
/// Error{Device}, and what the engine throws.
void timeGpuRound(RateSamples& samples, const ChosenGpu& gpu, const GpuRoundLimits& limits = {});

}  // namespace meshreel
