// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Latents to tokens and back.
class WanPatches {
  public:
    explicit WanPatches(const WanTransformerConfig& config) : WanPatches(config, config.inChannels) {}

    /// For a control or pose with `channels` channels.
    WanPatches(WanTransformerConfig config, std::int64_t channels)
        : m_config(std::move(config)), m_channels(channels) {}

    /// Returns those of latents that another layer makes tokens of.
    [[nodiscard]] WanPatches of(PatchEmbedding embedding) const {
        return {m_config, m_config.channelsOf(embedding)};
    }

    /// Tokens of latents [B, channels, F, H, W], the first frame of which is at `firstFrame` and the first
    /// column at `firstColumn`. Throws Error{Input} for another shape, sides that the patch does not divide,
    /// or positions along an axis beyond rope_max_seq_len.
    [[nodiscard]] TokenGrid grid(const Shape& latents, std::int64_t firstFrame = 0,
                                 std::int64_t firstColumn = 0) const;

    /// Returns f32 [B, tokens.size(), channels · patch]: the latents under each of these tokens.
    [[nodiscard]] Tensor cut(const Execution& execution, const Tensor& latents, ShardRange tokens) const;

    /// Returns f32 [B, outChannels, F, H, W], assembled from the output layer's [B, tokens, patch ·
    /// outChannels], of which the grid's tokens are the first.
    [[nodiscard]] Tensor assemble(const Execution& execution, const Tensor& projected,
                                  const TokenGrid& grid) const;

  private:
    WanTransformerConfig m_config;
    std::int64_t m_channels;
};

/// out [B, L, features] of x [B, L, anything], in its memory.
Tensor applyTo(const Execution& execution, const PackedMatrix& matrix, const Tensor& x);

/// Patches, time and text before the blocks: what is made of tokens where the device computes, the rest on
/// the host. Made once; `weights` are the layer "embeddings" of the pass.
class WanEmbeddings {
  public:
    WanEmbeddings(const WanTransformerConfig& config, const LayerSlots& slots);

    /// The first L of hidden's tokens [B, tokens, innerDim], of patches [B, L, inChannels · patch] on the
    /// host.
    void embedPatches(const Execution& execution, const LayerTensors& weights, const Tensor& patches,
                      Tensor& hidden) const;

    /// Puts the tokens of a reference's patches [B, n, referenceChannels · patch] on the host in place of
    /// those from `first` on of hidden [B, L, innerDim].
    void embedReference(const Execution& execution, const LayerTensors& weights, const Tensor& patches,
                        std::int64_t first, Tensor& hidden) const;

    /// Tokens of motion [B, inChannels, any F, H, W], f32, of an S2V model: `tokens` of those of all
    /// packings, which are hidden's tokens [B, tokens, innerDim] from `first` on.
    void embedMotion(const Execution& execution, const LayerTensors& weights, const Tensor& motion,
                     ShardRange tokens, std::int64_t first, Tensor& hidden) const;

    /// Adds to each of hidden's tokens [B, tokens.size(), innerDim] what marks its kind in an S2V model:
    /// these tokens of a sequence, of which the first `video` are of the video, those up to `patches` of its
    /// reference, and the others of motion.
    void markKinds(const Execution& execution, const LayerTensors& weights, ShardRange tokens,
                   std::int64_t video, std::int64_t patches, Tensor& hidden) const;

    /// Returns f32 [B, tokens.size(), innerDim] for these tokens of control [B, vaceChannels, F, H, W]: zeros
    /// beyond its last one. Probe: vace_patch_embed.
    [[nodiscard]] Tensor embedControl(const Execution& execution, const LayerTensors& weights,
                                      const Tensor& control, ShardRange tokens, const Probe& probe) const;

    /// Adds the embedding of pose to hidden [B, tokens.size(), innerDim], for these tokens of F frames: in an
    /// Animate model of pose [B, poseChannels, F - 1, H, W], with nothing for the first frame, in an S2V
    /// model of [B, poseChannels, F, H, W].
    void addPose(const Execution& execution, const LayerTensors& weights, const Tensor& pose,
                 ShardRange tokens, Tensor& hidden) const;

    struct Time {
        Tensor embedding;   ///< [times, innerDim], for the output norm
        Tensor projection;  ///< [times, 6 · innerDim], for the blocks
    };

    /// Probe: timestep_sinusoid, temb, timestep_proj.
    [[nodiscard]] Time embedTime(const Execution& execution, const LayerTensors& weights,
                                 const TokenTimes& times, const Probe& probe) const;

    /// f32 [B, L, innerDim] of text [B, L, textDim].
    [[nodiscard]] Tensor embedText(const Execution& execution, const LayerTensors& weights,
                                   const Tensor& text) const;

  private:
    /// Where a model takes a control or a pose: how it is cut, and the place of what embeds it.
    struct Guide {
        WanPatches patches;
        std::size_t weights;
    };

    std::int64_t m_innerDim;
    std::int64_t m_freqDim;
    /// What an S2V model embeds beside patches and pose.
    struct SoundPlaces {
        std::size_t kinds;                                      ///< [3, innerDim]
        std::array<std::size_t, motionPackings.size()> motion;  ///< in the order of motionPackings
    };

    std::optional<Guide> m_control;
    std::optional<Guide> m_pose;
    std::optional<std::size_t> m_reference;  // place of ref_conv
    std::int64_t m_framesBeforePose = 0;
    std::optional<SoundPlaces> m_sound;
    // Places of the weights.
    std::size_t m_patches;  // [innerDim, inChannels · patch]
    std::size_t m_timeIn;
    std::size_t m_timeOut;
    std::size_t m_timeProjection;
    std::size_t m_textIn;
    std::size_t m_textOut;
};

/// CLIP's hidden states to tokens of the transformer's width: norm, feed-forward, norm. A model for first and
/// last frames takes two images as one sequence and adds learned positions to it.
class WanImageEmbedding {
  public:
    /// `tensors` of layer "embeddings", whose memory is shared.
    WanImageEmbedding(const WanTransformerConfig& config, const LayerTensors& tensors);

    /// [batch, tokens, imageDim] of an image as WanConditions has it, for `batch` videos. Throws Error{Input}
    /// for another shape.
    static Tensor sequence(const WanTransformerConfig& config, const Tensor& image, std::int64_t batch);

    /// Returns f32 [batch, tokens.size(), innerDim] for these tokens of a sequence.
    [[nodiscard]] Tensor embed(const Execution& execution, const Tensor& sequence, ShardRange tokens) const;

  private:
    struct Norm {
        Tensor weight;
        Tensor bias;
        void apply(const Execution& execution, Tensor& x) const;
    };

    std::optional<Tensor> m_positions;  // [1, tokens, imageDim]
    Norm m_before;
    PackedMatrix m_up;
    PackedMatrix m_down;
    Norm m_after;
};

}  // namespace meshreel
