// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "engine/tensor/tensor.h"

namespace meshreel::testing {

/// Standard normal values, the same for the same seed.
inline Tensor randomTensor(Shape shape, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    Tensor result = Tensor::empty(std::move(shape));
    for (float& value : result.data<float>())
        value = normal(generator);
    return result;
}

/// The f32 values of `values`, rounded.
inline Tensor toBf16(const Tensor& values) {
    Tensor result = Tensor::empty(values.shape(), DType::BF16);
    convert(std::span<const float>(values.data<float>()), result.data<BFloat16>());
    return result;
}

}  // namespace meshreel::testing
