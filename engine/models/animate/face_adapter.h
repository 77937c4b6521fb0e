// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Which face a token attends to.
struct FaceTokens {
    std::int64_t firstToken = 0;      ///< of this device, in the whole sequence
    std::int64_t tokensPerFrame = 0;  ///< of the video
    std::int64_t keysPerFrame = 0;    ///< of the face
};

/// Behind some blocks of an Animate model: the tokens of a latent frame attend to the few tokens of the face
/// in that frame. Nothing is exchanged along the context axis, whatever the mode; a device computes its
/// tokens and its heads.
class FaceAdapter {
  public:
    /// `tensors` of layer "face adapter INDEX", whose memory is shared.
    FaceAdapter(const WanTransformerConfig& config, const WanPrecision& precision,
                const LayerTensors& tensors, std::int64_t index, const Device& device);

    /// [batch, frames · keysPerFrame, heads / tensorDevices, headDim] of faces f32 [batch, frames,
    /// keysPerFrame, innerDim].
    [[nodiscard]] CrossKeyValue keyValue(Device& device, const Tensor& faces) const;

    /// Adds to work.hidden. Probe: face_adapterN.out.
    void run(Device& device, const CrossKeyValue& faces, const FaceTokens& tokens, WanWorkspace& work,
             const Probe& probe) const;

  private:
    void normHeads(const Execution& execution, Tensor& heads, const Tensor& weight) const;

    WanTransformerConfig m_config;
    WanPrecision m_precision;
    std::string m_name;  // "face_adapter1"
    PackedMatrix m_query;
    PackedMatrix m_key;
    PackedMatrix m_value;
    RowParallelLinear m_output;
    Tensor m_queryNorm;  // [headDim]
    Tensor m_keyNorm;
};

}  // namespace meshreel
