// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/models/transformer/token_times.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Vectors [width] for each timestep that shift, scale or gate the tokens that have it: a learned table plus
/// what the model made of the timestep.
class Modulation {
  public:
    /// table [1, count, width] + timestep [times, count, width], or + timestep [times, width] repeated.
    /// `times` outlives the modulation.
    Modulation(const Tensor& table, const Tensor& timestep, const TokenTimes& times);

    [[nodiscard]] const TokenTimes& times() const { return m_times; }
    [[nodiscard]] std::span<const float> vector(std::int64_t time, std::int64_t index) const;

    /// y = layerNorm(x)·(1 + vector[scale]) + vector[shift] for x [batch, tokens, width] f32, y f32 or bf16.
    void norm(const Execution& execution, const Tensor& x, double epsilon, std::int64_t shift,
              std::int64_t scale, Tensor& y) const;

    /// into += x · vector[gate], both [batch, tokens, width].
    void addGated(const Execution& execution, Tensor& into, const Tensor& x, std::int64_t gate) const;

  private:
    const TokenTimes& m_times;
    Tensor m_vectors;  // [times, count, width]
};

}  // namespace meshreel
