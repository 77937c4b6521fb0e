// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/expert_steps.h"

namespace meshreel {

std::vector<ExpertSteps> expertSteps(std::span<const double> timesteps, std::optional<double> boundary) {
    std::vector<ExpertSteps> stretches;
    for (int step = 0; step < std::ssize(timesteps); ++step) {
        const bool low = boundary && timesteps[static_cast<std::size_t>(step)] < *boundary;
        const int expert = low ? 2 : 1;
        if (stretches.empty() || stretches.back().expert != expert)
            stretches.push_back({.expert = expert, .firstStep = step, .endStep = step});
        ++stretches.back().endStep;
    }
    return stretches;
}

}  // namespace meshreel
