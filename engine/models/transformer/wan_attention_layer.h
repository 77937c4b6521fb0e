// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/head_norm.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/transformer/row_parallel_linear.h"
#include "engine/models/transformer/wan_precision.h"
#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Projections of one attention, and the norms of its queries and keys where the model has them. Of the
/// model's heads a device computes those of its part of the tensor axis: "width" is their features together.
/// Matrices are f32 or bf16.
class WanAttentionLayer {
  public:
    /// Tensors PREFIX.to_q … PREFIX.norm_k, and PREFIX.add_k_proj … PREFIX.norm_added_k where `withAdded`.
    WanAttentionLayer(const WanTransformerConfig& config, const WanPrecision& precision,
                      const LayerTensors& tensors, const std::string& prefix, const Device& device,
                      bool withAdded = false);

    /// Queries, keys and values [rows, width] of x [rows, innerDim]; queries and keys turned by `rotary`.
    void project(Device& device, const MatrixView& x, const RotaryTable& rotary, const MatrixSpan& query,
                 const MatrixSpan& key, const MatrixSpan& value) const;

    /// Queries [rows, width] of x [rows, innerDim].
    void projectQuery(Device& device, const MatrixView& x, const MatrixSpan& query) const;

    /// Keys and values [rows, width] of x [rows, innerDim].
    void projectKeyValue(Device& device, const MatrixView& x, const MatrixSpan& key,
                         const MatrixSpan& value) const;

    /// The same by the projections that a model has for images (PREFIX.add_k_proj, .add_v_proj).
    void projectAddedKeyValue(Device& device, const MatrixView& x, const MatrixSpan& key,
                              const MatrixSpan& value) const;

    /// To [rows, innerDim] of what was attended [rows, width].
    [[nodiscard]] const RowParallelLinear& output() const { return m_output; }

  private:
    struct Normed {
        MatrixSpan values;                   // [rows, width]
        const std::optional<Tensor>& gamma;  // [width]
    };
    void normalise(Device& device, std::span<const Normed> all, const RotaryTable* rotary) const;
    [[nodiscard]] HeadNorm normOf(const Normed& normed, const RotaryTable* rotary) const;

    std::int64_t m_innerDim;
    std::int64_t m_headDim;
    double m_epsilon;
    PackedMatrix m_query;
    PackedMatrix m_key;
    PackedMatrix m_value;
    RowParallelLinear m_output;
    std::optional<Tensor> m_queryNorm;
    std::optional<Tensor> m_keyNorm;
    std::optional<PackedMatrix> m_addedKey;
    std::optional<PackedMatrix> m_addedValue;
    std::optional<Tensor> m_addedKeyNorm;
};

}  // namespace meshreel
