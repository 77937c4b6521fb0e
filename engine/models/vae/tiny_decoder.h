// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/convolution/convolution.h"
#include "engine/models/vae/wan_vae_chunk.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/vae/wan_vae_layers.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The decoder of TAEHV (taehv.py of madebyollin/taehv), chunk by chunk. A level is three memory blocks, a
/// layer that makes frames of channels, and a convolution over what was enlarged. Levels before the last take
/// the frames of a chunk together, the last one, with the largest features, takes them one by one. The frames
/// that the first latent makes too many are left out, as upstream trims them.
class TinyDecoder {
  public:
    /// `config.tiny` is there. Throws Error{Input} as VaeWeights.
    TinyDecoder(const WanVaeConfig& config, const VaeWeights& weights);

    /// Decodes latents [T', H', W', z] of one chunk, f32, as the transformer makes them, to patches of pixels
    /// [T, H, W, out], f32 in [-1, 1] unless unclamped. `frames` is the past of the last level.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& latents) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    /// ReLU(convolutions of a frame and the one before it + the frame).
    class MemoryBlock {
      public:
        MemoryBlock(const VaeWeights& weights, const std::string& name, std::int64_t channels);

        [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x) const;
        [[nodiscard]] std::size_t bytes() const;

      private:
        CausalConvolution m_first;  ///< over two frames
        PackedConvolution m_second;
        PackedConvolution m_third;
    };

    struct Level {
        std::vector<MemoryBlock> blocks;
        PackedConvolution grow;  ///< 1×1, to the channels of `growth` frames
        std::int64_t growth;     ///< frames that it makes from one
        PackedConvolution enlarge;
    };

    [[nodiscard]] static Level readLevel(const WanVaeConfig& config, const VaeWeights& weights,
                                         std::size_t index);
    [[nodiscard]] static Tensor applyBlocks(const ChunkContext& chunk, const Level& level, Tensor x);
    [[nodiscard]] Tensor finish(const ChunkContext& chunk, const Tensor& x, std::int64_t& leftOut) const;

    PackedConvolution m_convIn;
    std::vector<Level> m_levels;
    PackedConvolution m_convOut;
    std::int64_t m_tooMany;  ///< frames of the first latent
};

}  // namespace meshreel
