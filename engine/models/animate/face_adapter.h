// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Which face a token attends to.
struct FaceTokens {
    std::int64_t firstToken = 0;      ///< of this device, within the whole sequence
    std::int64_t tokensPerFrame = 0;  ///< tokens of the video
    std::int64_t keysPerFrame = 0;    ///< keys of the face
};

/// Follows some blocks of an Animate model: the tokens of a latent frame attend to the few tokens of the face
/// in that frame. Exchanges nothing along the context axis, whatever the mode; a device computes its tokens
/// and its heads. Created once for a transformer; each pass brings the `weights`, as for WanBlock.
class FaceAdapter {
  public:
    /// `slots` of layer "face adapter INDEX".
    FaceAdapter(const WanTransformerConfig& config, const WanPrecision& precision, const LayerSlots& slots,
                std::int64_t index);

    /// [batch, frames · keysPerFrame, heads / tensorDevices, headDim] of faces f32 [batch, frames,
    /// keysPerFrame, innerDim].
    [[nodiscard]] CrossKeyValue keyValue(Device& device, const LayerTensors& weights,
                                         const Tensor& faces) const;

    /// Adds to work.hidden. Probe: face_adapterN.out.
    void run(Device& device, const LayerTensors& weights, const CrossKeyValue& faces,
             const FaceTokens& tokens, WanWorkspace& work, const Probe& probe) const;

  private:
    void normHeads(const Execution& execution, Tensor& heads, const Tensor& weight) const;

    using Slot = std::size_t;

    std::int64_t m_heads;
    std::int64_t m_headDim;
    double m_epsilon;
    DType m_activations;
    std::string m_name;  // "face_adapter1"
    Slot m_query;
    Slot m_key;
    Slot m_value;
    Slot m_output;
    Slot m_queryNorm;  // [headDim]
    Slot m_keyNorm;
};

}  // namespace meshreel
