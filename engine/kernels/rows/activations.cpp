// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/activations.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "engine/kernels/rows/activation_kernels.h"

namespace meshreel {

void geluTanh(std::span<float> values) {
    activationKernels().geluTanh(values);
}

void geluErf(std::span<float> values) {
    constexpr auto sqrtHalf = static_cast<float>(1.0 / std::numbers::sqrt2);
    for (float& value : values)
        value = 0.5F * value * (1.0F + std::erf(value * sqrtHalf));
}

void geluQuick(std::span<float> values) {
    activationKernels().geluQuick(values);
}

void silu(std::span<float> values) {
    activationKernels().silu(values);
}

void activate(const Execution& execution, Activation& activation, std::span<float> values) {
    execution.workers.parallelFor(static_cast<std::int64_t>(values.size()), [&](std::int64_t begin,
                                                                                std::int64_t end) {
        activation(values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    });
}

}  // namespace meshreel
