// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/layers/time_convolution.h"
#include "engine/models/sound/sound_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What is heard in each latent frame.
struct SoundTokens {
    Tensor local;   ///< f32 [batch, frames, tokensPerFrame, innerDim]: what the frame's tokens attend to
    Tensor global;  ///< f32 [batch, frames, innerDim]: what scales and shifts them before
};

/// Hidden states of a sound encoder to tokens for each latent frame (CausalAudioEncoder of
/// wan/modules/s2v/audio_utils.py): a learned mixture of the states, then causal convolutions over time, in
/// some heads and in one for all. Computed by the workers in f32.
class SoundTokenEncoder {
  public:
    /// `tensors` of layer "sound".
    SoundTokenEncoder(const SoundConfig& config, const LayerTensors& tensors);

    /// Returns the tokens of sound f32 [batch, states, width, columns]: of columns / 4 frames, rounded up.
    [[nodiscard]] SoundTokens encode(const Execution& execution, const Tensor& sound) const;

    /// Returns the tokens of a clip's sound, before which its first column is heard `lead` times: without the
    /// frames that these make.
    [[nodiscard]] SoundTokens encodeClip(const Execution& execution, const Tensor& sound,
                                         std::int64_t lead) const;

  private:
    /// f32 [columns, width] of one sound [states, width, columns].
    [[nodiscard]] Tensor mixed(const Tensor& sound) const;
    /// f32 [frames, innerDim] of what the first convolution made of one head, [columns, innerDim / 4].
    [[nodiscard]] Tensor halvedTwice(const Execution& execution, Tensor x) const;

    SoundConfig m_config;
    Tensor m_mixture;  // f32 [1, states, 1, 1], before its SiLU
    TimeConvolution m_heads;
    TimeConvolution m_whole;
    TimeConvolution m_second;
    TimeConvolution m_third;
    PackedMatrix m_out;
    Tensor m_learned;  // [1, 1, 1, innerDim]
};

/// Returns sound f32 [batch, states, width, columns] with its first column repeated `lead` times before it.
Tensor withLead(const Tensor& sound, std::int64_t lead);

}  // namespace meshreel
