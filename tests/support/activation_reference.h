// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <numbers>

#include "engine/kernels/linear/linear_kernel.h"

namespace meshreel::testing {

/// What a linear layer's activation is of x, in double.
inline double activatedInDouble(LinearActivation activation, double x) {
    switch (activation) {
        case LinearActivation::None:
            return x;
        case LinearActivation::GeluTanh:
            return 0.5 * x *
                   (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        case LinearActivation::GeluErf:
            return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
        case LinearActivation::Silu:
            return x / (1.0 + std::exp(-x));
    }
    return x;
}

}  // namespace meshreel::testing
