// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A causal convolution over frames; what is before the first frame is like it. Packed when it is made, for
/// the workers, in f32.
class TimeConvolution {
  public:
    /// Tensors NAME.weight [out, in, taps] and NAME.bias.
    TimeConvolution(const LayerTensors& tensors, const std::string& name, std::int64_t stride);

    /// f32 [(frames - 1) / stride + 1, out] of x f32 [frames, in].
    [[nodiscard]] Tensor apply(const Execution& execution, const Tensor& x) const;

  private:
    std::int64_t m_taps;
    std::int64_t m_stride;
    PackedMatrix m_matrix;  // [out, in · taps]
};

/// Columns [first, first + count) of x f32 [rows, width], copied.
Tensor copiedColumns(const Tensor& x, std::int64_t first, std::int64_t count);

}  // namespace meshreel
