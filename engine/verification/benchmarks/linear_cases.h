// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A transformer's linear layer with what the transformer has fused to it.
struct LinearCase {
    std::string_view name;
    std::int64_t out;
    std::int64_t in;
    LinearActivation activation = LinearActivation::None;
    bool gatedResidual = false;
};

/// Whose layers are measured.
struct LinearModel {
    std::string_view name;
    std::int64_t width;
    std::int64_t features;  ///< between the two layers of its feed-forward network

    [[nodiscard]] std::array<LinearCase, 4> cases() const;
};

/// The 1.3B, 5B and 14B transformers.
std::span<const LinearModel> linearModels();

/// One layer of random weights as the transformer runs it: rows of the activations' type in, products out in
/// that type, or added to the f32 residual stream.
class PreparedLinear {
  public:
    PreparedLinear(const Execution& execution, const LinearCase& linear, std::int64_t rows,
                   Arithmetic arithmetic);

    void run();

    [[nodiscard]] double flops() const;
    /// Read and written once each.
    [[nodiscard]] double bytes() const;

  private:
    const Execution& m_execution;
    LinearCase m_linear;
    DType m_type;
    Tensor m_bias;
    Tensor m_gate;
    PackedMatrix m_matrix;
    Tensor m_x;
    Tensor m_y;
};

}  // namespace meshreel
