// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/kernels/packed_matrix.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layer_weights.h"
#include "engine/models/wan_transformer_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A linear layer of which this device has a range of the input features: the devices of the tensor axis add
/// up their products.
class RowParallelLinear {
  public:
    /// NAME.weight [out, in / tensorDevices], NAME.bias [out], which the first device adds.
    RowParallelLinear(const LayerTensors& tensors, const std::string& name, const Device& device);

    /// y [rows, out] of x [rows, in / tensorDevices], the same on every device of the axis.
    void apply(Device& device, std::span<const float> x, std::int64_t rows, std::span<float> y) const;

  private:
    PackedMatrix m_matrix;
};

/// Projections of one attention, and the norms of its queries and keys where the model has them. Of the
/// model's heads a device computes those of its part of the tensor axis: "width" is their features together.
class WanAttentionLayer {
  public:
    /// Tensors PREFIX.to_q … PREFIX.norm_k.
    WanAttentionLayer(const WanTransformerConfig& config, const LayerTensors& tensors,
                      const std::string& prefix, const Device& device);

    /// Queries, keys and values [rows, width] of x [rows, innerDim].
    void project(Device& device, std::span<const float> x, std::span<float> query, std::span<float> key,
                 std::span<float> value) const;

    /// Queries [rows, width] of x [rows, innerDim].
    void projectQuery(Device& device, std::span<const float> x, std::span<float> query) const;

    /// Keys and values [rows, width] of x [rows, innerDim].
    void projectKeyValue(Device& device, std::span<const float> x, std::span<float> key,
                         std::span<float> value) const;

    /// out [rows, innerDim] of attended [rows, width].
    void output(Device& device, std::span<const float> attended, std::span<float> out) const;

  private:
    struct Normed {
        std::span<float> values;             // [rows, width]
        const std::optional<Tensor>& gamma;  // [width]
    };
    void normalise(Device& device, std::span<const Normed> all) const;

    std::int64_t m_innerDim;
    double m_epsilon;
    PackedMatrix m_query;
    PackedMatrix m_key;
    PackedMatrix m_value;
    RowParallelLinear m_output;
    std::optional<Tensor> m_queryNorm;
    std::optional<Tensor> m_keyNorm;
};

}  // namespace meshreel
