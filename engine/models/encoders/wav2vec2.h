// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/models/encoders/encoder_weights.h"
#include "engine/models/encoders/sound_features.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/probe.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Takes the hidden states of a layer, f32 [frames, hiddenSize] on the host, before its memory is used again.
using SoundStates = std::function<void(std::int64_t layer, const Tensor& states)>;

/// The sound encoder wav2vec 2.0 (transformers' Wav2Vec2Model): of Wan 2.2's S2V the large one. Tensors have
/// transformers' names without "wav2vec2.". Its convolutions are packed once, and computed by the workers;
/// the weights of its layers stay in the checkpoint's map: each call brings one after the other into memory
/// and lets it go again.
class Wav2Vec2Encoder {
  public:
    /// Computes the layers on the GPU of `memory`, or on the workers. Throws Error{Input} for missing tensors
    /// and wrong shapes.
    Wav2Vec2Encoder(const Wav2Vec2Config& config, const Checkpoint& checkpoint,
                    Arithmetic arithmetic = Arithmetic::F32, Memory* memory = nullptr);

    /// Returns how the checkpoint holds the layers' matrices: see storedLinearType().
    static DType storedType(const Wav2Vec2Config& config, const Checkpoint& checkpoint);

    /// Returns the bytes of a GPU's memory that encoding so many frames takes, of weights that are stored as
    /// storedType() says: a layer, and what the frames compute in.
    static std::size_t gpuBytes(const Wav2Vec2Config& config, DType stored, Arithmetic arithmetic,
                                std::int64_t frames);

    /// Returns the bytes of the host's memory that encoding so many frames takes beside what `each` keeps.
    static std::size_t hostBytes(const Wav2Vec2Config& config, std::int64_t frames);

    [[nodiscard]] const Wav2Vec2Config& config() const { return m_config; }

    /// Gives transformers' hidden_states, one after the other: the input of each layer, and behind the last
    /// one what the encoder returns; layers + 1 of them. `samples` of one channel, Wav2Vec2Config::sampleRate
    /// a second. Throws Error{Input} for fewer samples than one frame sees, NonFiniteError, Error{Cancelled}.
    /// Probe: normalized [samples], conv0_frames, features [frames, channels], projected, pos_conv [frames,
    /// hiddenSize].
    void encode(const Execution& execution, std::span<const float> samples, const SoundStates& each,
                const Probe& probe = {}) const;

    /// Returns all of them, f32 [layers + 1, frames, hiddenSize].
    [[nodiscard]] Tensor encode(const Execution& execution, std::span<const float> samples,
                                const Probe& probe = {}) const;

  private:
    struct Layer;
    struct Workspace;

    [[nodiscard]] Tensor project(const Execution& execution, const Tensor& features) const;
    void runLayer(const Execution& execution, const Layer& layer, Workspace& work) const;

    Wav2Vec2Config m_config;
    Checkpoint m_checkpoint;
    EncoderPlace m_place;
    SoundFeatures m_features;
    SoundPositions m_positions;
};

}  // namespace meshreel
