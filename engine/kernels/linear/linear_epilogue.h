// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/tensor/matrix_view.h"

namespace meshreel {

enum class LinearActivation : std::uint8_t { None, GeluTanh, GeluErf, Silu };

/// What a linear layer does with its products while they are in the cache:
/// y = [y +] gate · activation(x·Wᵀ + bias), all in f32 until y is written.
struct LinearEpilogue {
    LinearActivation activation = LinearActivation::None;
    std::span<const float> gate = {};  ///< [out], or none
    bool addToOutput = false;

    [[nodiscard]] bool isEmpty() const {
        return activation == LinearActivation::None && gate.empty() && !addToOutput;
    }

    /// For output features [first, end) alone.
    [[nodiscard]] LinearEpilogue columns(std::int64_t first, std::int64_t end) const;
};

/// Rows of x·Wᵀ + bias, `stride` elements from one to the next; the epilogue overwrites them.
struct LinearProducts {
    float* values = nullptr;
    std::int64_t stride = 0;
};

/// Writes y from `products`, which may be y's own memory when y is f32.
void finishLinear(const LinearEpilogue& epilogue, const LinearProducts& products, const MatrixSpan& y);

}  // namespace meshreel
