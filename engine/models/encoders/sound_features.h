// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// wav2vec 2.0's convolutions from samples to frames of channels, each followed by a GELU. Computed by the
/// workers in f32, a part of the sound at a time: a frame's numbers do not depend on the parts.
class SoundFeatures {
  public:
    /// Packs the weights. Throws Error{Input} for missing tensors and wrong shapes.
    SoundFeatures(const Wav2Vec2Config& config, const Checkpoint& checkpoint);

    /// Returns f32 [frames, channels]. Throws Error{Input} for fewer samples than a frame sees,
    /// Error{Cancelled}. Probe: conv0_frames [frames of its first part, channels], behind the first
    /// convolution.
    [[nodiscard]] Tensor extract(const Execution& execution, std::span<const float> samples,
                                 const Probe& probe = {}) const;

    /// Returns the bytes that extracting so many frames takes beside the samples and what it returns.
    static std::size_t workspaceBytes(const Wav2Vec2Config& config, std::int64_t frames);

  private:
    /// gamma and beta of a norm, f32 [channels].
    struct Norm {
        Tensor gamma;
        Tensor beta;
    };
    struct Convolution {
        PackedMatrix matrix;  ///< [channels, taps · channels before], a tap's channels side by side
        std::int64_t taps;
        std::int64_t stride;
        std::optional<Norm> norm;
    };
    /// What a group norm multiplies each channel by and adds to it: over the whole sound.
    struct ChannelScale {
        std::vector<float> factor;
        std::vector<float> term;
    };

    [[nodiscard]] Convolution readConvolution(const Checkpoint& checkpoint, std::size_t index) const;
    [[nodiscard]] ChannelScale measureFirst(const Execution& execution, std::span<const float> samples) const;
    void norm(const Execution& execution, const Convolution& convolution,
              const std::optional<ChannelScale>& scale, Tensor& x) const;

    Wav2Vec2Config m_config;
    std::vector<Convolution> m_convolutions;
};

/// The positions of wav2vec 2.0: a convolution in groups over many frames around each, with a GELU, whose
/// result is added to what it saw. Computed by the workers in f32.
class SoundPositions {
  public:
    /// Throws as SoundFeatures() does. The weight may be whole, or parted into length and direction (weight
    /// norm over its taps, in the spelling of torch before or after 2.0).
    SoundPositions(const Wav2Vec2Config& config, const Checkpoint& checkpoint);

    /// Returns f32 [frames, hiddenSize] of hidden f32 [frames, hiddenSize].
    [[nodiscard]] Tensor of(const Execution& execution, const Tensor& hidden) const;

  private:
    std::int64_t m_taps;
    std::int64_t m_groupWidth;
    std::vector<PackedMatrix> m_groups;  // each [groupWidth, taps · groupWidth]
};

}  // namespace meshreel
