// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/sampling/schedulers/scheduler_config.h"

namespace meshreel {

/// One UniPC update from noise level s to t, with m0 the model's clean sample at s and mk those k steps
/// before: x_t = sampleScale * x_s - cleanScale * m0
///       - residualScale * (sum over k >= 1 of weights[k-1] * (mk - m0) / ratios[k-1] + weights.back() * (mt
///       - m0)),
/// the last term, with the clean sample mt at t, in the corrector only.
struct UniPcCoefficients {
    float sampleScale = 0.0F;
    float cleanScale = 0.0F;
    float residualScale = 0.0F;
    std::vector<float> ratios;   ///< order - 1
    std::vector<float> weights;  ///< order - 1 in the predictor, order in the corrector
};

enum class UniPcPhase { Predict, Correct };

/// `from` is the index of s in `sigmas`; t is the next one.
UniPcCoefficients uniPcCoefficients(std::span<const float> sigmas, std::size_t from, int order,
                                    UniPcPhase phase, const SchedulerConfig& config);

}  // namespace meshreel
