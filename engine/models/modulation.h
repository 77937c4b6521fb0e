// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Vectors [width] for each batch element that shift, scale or gate token rows: a learned table plus the
/// timestep's.
class Modulation {
  public:
    /// table [1, count, width] + timestep [batch, count, width], or + timestep [batch, width] repeated.
    Modulation(const Tensor& table, const Tensor& timestep);

    [[nodiscard]] std::span<const float> vector(std::int64_t batch, std::int64_t index) const;

    /// y = layerNorm(x)·(1 + vector[scale]) + vector[shift] for x [batch, tokens, width] f32, y f32 or bf16.
    void norm(const Execution& execution, const Tensor& x, double epsilon, std::int64_t shift,
              std::int64_t scale, Tensor& y) const;

    /// into += x · vector[gate], both [batch, tokens, width].
    void addGated(const Execution& execution, Tensor& into, const Tensor& x, std::int64_t gate) const;

  private:
    Tensor m_vectors;  // [batch, count, width]
};

}  // namespace meshreel
