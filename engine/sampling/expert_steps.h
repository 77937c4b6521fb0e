// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace meshreel {

/// Steps in a row that one transformer computes. Wan 2.2's A14B models have two: one for high noise, one for
/// low.
struct ExpertSteps {
    int expert = 1;  ///< 1: `transformer`; 2: `transformer_2`
    int firstStep = 0;
    int endStep = 0;

    friend bool operator==(const ExpertSteps&, const ExpertSteps&) = default;
};

/// Who computes which steps: the first expert those whose timestep is `boundary` or above, the second the
/// others. Without a boundary the first computes all.
std::vector<ExpertSteps> expertSteps(std::span<const double> timesteps, std::optional<double> boundary);

}  // namespace meshreel
