// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/activations.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "engine/kernels/rows/exponential.h"

namespace meshreel {

void geluTanh(std::span<float> values) {
    // (1 + tanh u)/2 = 1/(1 + e^-2u), which does not cancel for negative u.
    constexpr float minusTwoSqrtTwoOverPi = -1.59576912F;
    constexpr float cubic = 0.044715F;
    for (float& value : values) {
        const float x = value;
        value = x / (1.0F + exponential(minusTwoSqrtTwoOverPi * (x + cubic * x * x * x)));
    }
}

void geluErf(std::span<float> values) {
    constexpr auto sqrtHalf = static_cast<float>(1.0 / std::numbers::sqrt2);
    for (float& value : values)
        value = 0.5F * value * (1.0F + std::erf(value * sqrtHalf));
}

void geluQuick(std::span<float> values) {
    constexpr float slope = 1.702F;
    for (float& value : values)
        value = value / (1.0F + exponential(-slope * value));
}

void silu(std::span<float> values) {
    for (float& value : values)
        value = value / (1.0F + exponential(-value));
}

void activate(const Execution& execution, Activation& activation, std::span<float> values) {
    execution.workers.parallelFor(static_cast<std::int64_t>(values.size()), [&](std::int64_t begin,
                                                                                std::int64_t end) {
        activation(values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    });
}

}  // namespace meshreel
