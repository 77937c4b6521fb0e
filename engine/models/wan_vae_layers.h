// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/kernels/convolution.h"
#include "engine/models/wan_vae_chunk.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

// The Wan VAE's layers under diffusers' names. Each takes features [T, H, W, C] of one chunk. Constructors
// throw Error{Input} as Checkpoint::get.

/// NAME.weight of this shape and NAME.bias, packed.
PackedConvolution loadConvolution(const Checkpoint& checkpoint, const std::string& name, const Shape& weight,
                                  const ConvolutionGeometry& geometry = {});

/// The convolution over `zeroFrames` frames of zeros, the frames of `past`, then `x`.
Tensor convolve(const Execution& execution, const PackedConvolution& convolution, std::int64_t zeroFrames,
                std::span<const StripFeatures> past, const StripFeatures& x);

/// A convolution that knows no past, over `x` and what its kernel reads from the neighbouring strips.
Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution, const Tensor& x);

/// `x` with the columns that the convolution reads beside it.
StripFeatures withNeighbours(const ChunkContext& chunk, const PackedConvolution& convolution,
                             const Tensor& x);

/// As many frames out as in; frames before the chunk come from the cache, zeros before the first.
class CausalConvolution {
  public:
    /// The kernel is kernelFrames × kernelSide × kernelSide, padded in space to keep the size.
    CausalConvolution(const Checkpoint& checkpoint, const std::string& name, std::int64_t outChannels,
                      std::int64_t inChannels, std::int64_t kernelFrames, std::int64_t kernelSide);

    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const { return m_convolution.bytes(); }

  private:
    PackedConvolution m_convolution;
};

/// norm, SiLU, 3×3×3, norm, SiLU, 3×3×3, plus the input (through 1×1×1 when the width changes).
class ResidualBlock {
  public:
    ResidualBlock(const Checkpoint& checkpoint, const std::string& name, std::int64_t inChannels,
                  std::int64_t outChannels);

    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    Tensor m_norm1;
    Tensor m_norm2;
    CausalConvolution m_conv1;
    CausalConvolution m_conv2;
    std::optional<PackedConvolution> m_shortcut;
};

/// Residual single-head self-attention over the pixels of each frame.
class FrameAttention {
  public:
    FrameAttention(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels);

    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const { return m_qkv.bytes() + m_projection.bytes(); }

  private:
    Tensor m_norm;
    PackedConvolution m_qkv;
    PackedConvolution m_projection;
};

/// Residual block, attention, residual block.
class MidBlock {
  public:
    MidBlock(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels);

    /// Records PREFIX.mid_res0, PREFIX.mid_attn and PREFIX.mid.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const std::string& prefix, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const {
        return m_first.bytes() + m_attention.bytes() + m_second.bytes();
    }

  private:
    ResidualBlock m_first;
    FrameAttention m_attention;
    ResidualBlock m_second;
};

/// NAME.norm_out, SiLU, NAME.conv_out.
class OutputHead {
  public:
    OutputHead(const Checkpoint& checkpoint, const std::string& name, std::int64_t outChannels,
               std::int64_t inChannels);

    /// Records PREFIX.norm_out and PREFIX.conv_out.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const std::string& prefix, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const { return m_convolution.bytes(); }

  private:
    Tensor m_norm;
    CausalConvolution m_convolution;
};

}  // namespace meshreel
