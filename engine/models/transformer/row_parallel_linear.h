// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"

namespace meshreel {

/// A linear layer of which this device has a range of the input features: what it computes is part of a sum
/// over the devices of the tensor axis.
class RowParallelLinear {
  public:
    /// NAME.weight [out, in / tensorDevices], NAME.bias [out], which the first device adds.
    RowParallelLinear(const LayerTensors& tensors, const std::string& name, Arithmetic arithmetic,
                      const Device& device)
        : m_matrix(device.at().tensor == 0 ? tensors.linear(name, arithmetic)
                                           : tensors.linearWithoutBias(name, arithmetic)) {}

    /// Of x [rows, in / tensorDevices], to be summed over the axis.
    [[nodiscard]] const PackedMatrix& part() const { return m_matrix; }

  private:
    PackedMatrix m_matrix;
};

}  // namespace meshreel
