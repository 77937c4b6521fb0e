// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/sound/sound_tokens.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Which sound a token hears.
struct HearingTokens {
    std::int64_t firstToken = 0;       ///< of this device, within the whole sequence
    std::int64_t count = 0;            ///< of this device's tokens that hear: the video's, its first ones
    std::int64_t tokensPerFrame = 0;   ///< tokens of the video
    std::int64_t keysPerFrame = 0;     ///< tokens of sound
    std::span<const float> gate = {};  ///< [innerDim]: what is added is multiplied by it; empty: 1
};

/// Follows some blocks of an S2V model: the video's tokens of a latent frame, normed and then scaled and
/// shifted by what is heard in it, attend to the few tokens of its sound; tokens of groups hear nothing
/// (after_transformer_block of wan/modules/s2v/model_s2v.py). Exchanges nothing along the context axis,
/// whatever the mode; a device computes its tokens and its heads. Created once for a transformer; each pass
/// brings the `weights`, as for WanBlock.
class AudioInjector {
  public:
    /// `slots` of layer "audio injector INDEX".
    AudioInjector(const WanTransformerConfig& config, const WanPrecision& precision, const LayerSlots& slots,
                  std::int64_t index);

    /// Returns what it makes of a clip's sound, for this device's heads. The devices of the tensor axis call
    /// it together.
    [[nodiscard]] InjectorContext makeContext(Device& device, const LayerTensors& weights,
                                              const SoundTokens& sound) const;

    /// Adds to work.hidden. Probe: injectN.residual [batch, hearing tokens, innerDim], before its gate.
    void run(Device& device, const LayerTensors& weights, const InjectorContext& sound,
             const HearingTokens& tokens, WanWorkspace& work, const Probe& probe) const;

  private:
    void norm(Device& device, const InjectorContext& sound, const HearingTokens& tokens, WanWorkspace& work,
              Tensor& normed) const;
    void addResidual(Device& device, const LayerTensors& weights, const Tensor& attended,
                     const HearingTokens& tokens, WanWorkspace& work, const Probe& probe) const;

    std::int64_t m_heads;
    std::int64_t m_headDim;
    DType m_activations;
    std::string m_name;  // "inject1"
    WanAttentionLayer m_attention;
    std::size_t m_scaleShift;
};

}  // namespace meshreel
