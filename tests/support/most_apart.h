// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/tensor/tensor.h"

namespace meshreel::testing {

/// The largest difference of two tensors' numbers, relative to 1 or the expected one if that is larger.
inline double mostApart(const Tensor& found, const Tensor& expected) {
    const Tensor one = found.toF32();
    const Tensor other = expected.toF32();
    double largest = 0.0;
    for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
        const auto value = static_cast<double>(other.data<float>()[i]);
        const double apart =
            std::abs(static_cast<double>(one.data<float>()[i]) - value) / std::max(1.0, std::abs(value));
        if (apart > largest || std::isnan(apart))
            largest = apart;
    }
    return largest;
}

}  // namespace meshreel::testing
