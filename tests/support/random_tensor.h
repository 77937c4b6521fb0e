// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>

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

/// Numbers that differ from each other, 0, 1, 2 …, up to 2^24: for large tensors that are only moved.
inline Tensor countingTensor(Shape shape) {
    Tensor result = Tensor::empty(std::move(shape));
    const auto values = result.data<float>();
    std::iota(values.begin(), values.end(), 0.0F);
    return result;
}

/// The f32 values of `values`, rounded.
inline Tensor toBf16(const Tensor& values) {
    Tensor result = Tensor::empty(values.shape(), DType::BF16);
    convert(std::span<const float>(values.data<float>()), result.data<BFloat16>());
    return result;
}

}  // namespace meshreel::testing
