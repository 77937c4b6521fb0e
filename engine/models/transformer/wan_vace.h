// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/transformer/wan_block.h"
#include "engine/models/transformer/wan_precision.h"
#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/models/transformer/wan_workspace.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The stream of control tokens that runs beside the residual stream of a VACE model, through blocks of its
/// own. Behind each of these a hint is added to the residual stream. The blocks are WanBlocks: they get the
/// shards, modes and precision of the others.
class VaceStream {
  public:
    /// `control` f32 [batch, own tokens, innerDim] is embedded; `scales` has one factor for each VACE block.
    /// `embeddings` is the layer of that name, which has the input projection. Both config and scales outlive
    /// the stream.
    VaceStream(Device& device, const WanTransformerConfig& config, const WanPrecision& precision,
               const LayerTensors& embeddings, const Tensor& control, std::vector<float> scales,
               const Tensor& hidden);

    /// Runs VACE block `index` and adds its hint. Probe: vace_blockN.control, vace_blockN.hint (before its
    /// scale) and those of WanBlock. Throws NonFiniteError naming "VACE block N".
    void run(Device& device, const LayerTensors& tensors, std::int64_t index, const WanBlockInputs& inputs,
             WanWorkspace& work);

    /// The stream's values, to come back to.
    [[nodiscard]] Tensor saved() const { return m_control.clone(); }
    void restore(const Tensor& saved);

    /// "vace_block3", as a probe is told.
    static std::string blockName(std::int64_t index);

  private:
    void addHint(Device& device, const LayerTensors& tensors, std::int64_t index,
                 const WanBlockInputs& inputs, WanWorkspace& work) const;

    const WanTransformerConfig& m_config;
    WanPrecision m_precision;
    std::vector<float> m_scales;
    Tensor m_control;  // f32 [batch, own tokens, innerDim]
};

}  // namespace meshreel
