// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/cold_steps.h"

#include <algorithm>

namespace meshreel {

std::vector<bool> coldSteps(std::span<const StepRecord> steps, std::span<const int> resumedFrom) {
    std::vector<bool> cold;
    cold.reserve(steps.size());
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const auto begins = [&](int from) {
            return steps[index - 1].step < from && from <= steps[index].step;
        };
        cold.push_back(index == 0 || steps[index].expert != steps[index - 1].expert ||
                       std::ranges::any_of(resumedFrom, begins));
    }
    return cold;
}

std::optional<double> warmStepSeconds(std::span<const StepRecord> steps, std::span<const int> resumedFrom) {
    if (steps.empty())
        return std::nullopt;
    const std::vector<bool> cold = coldSteps(steps, resumedFrom);
    const bool onlyCold = std::ranges::find(cold, false) == cold.end();
    double sum = 0;
    int count = 0;
    for (std::size_t index = 0; index < steps.size(); ++index)
        if (onlyCold || !cold[index]) {
            sum += steps[index].seconds;
            ++count;
        }
    return sum / count;
}

}  // namespace meshreel
