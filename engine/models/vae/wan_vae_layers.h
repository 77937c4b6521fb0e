// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae_chunk.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// A VAE's checkpoint, read in a precision into the memory of what computes it (null: the host's). Calls
/// throw Error{Input} as Checkpoint::get.
class VaeWeights {
  public:
    VaeWeights(const Checkpoint& checkpoint, const VaePrecision& precision, Memory* memory)
        : m_checkpoint(checkpoint), m_precision(precision), m_memory(memory) {}

    /// NAME.weight of this shape and NAME.bias, packed.
    [[nodiscard]] PackedConvolution convolution(const std::string& name, const Shape& weight,
                                                const ConvolutionGeometry& geometry = {}) const;

    /// Packs a weight and a bias that were derived from the checkpoint's.
    [[nodiscard]] PackedConvolution convolution(const Tensor& weight, const Tensor& bias,
                                                const ConvolutionGeometry& geometry = {}) const;

    /// Returns a tensor of this shape, f32, rounded as the precision asks, on the host.
    [[nodiscard]] Tensor get(const std::string& name, const Shape& shape) const;

    /// NAME.gamma of this shape.
    [[nodiscard]] ChannelNorm norm(const std::string& name, const Shape& gamma,
                                   ChannelNorm::After after) const;

    /// Prepares attention within frames where the weights lie.
    void prepareFrameAttention() const;

  private:
    const Checkpoint& m_checkpoint;
    VaePrecision m_precision;
    Memory* m_memory;
};

// Returns the Wan VAE's layers under diffusers' names. Each takes features [T, H, W, C] of some frames.
// Constructors throw Error{Input} as VaeWeights.

// Lists of frames are the pool's one list: until the next is asked for.

/// Returns the frames of `x` [T, H, W, C] with what lies beside them.
std::span<const ConvolutionFrame> framesOf(const ChunkContext& chunk, const StripFeatures& x);

/// Returns the frames [T, H, W, frames·C] as T·frames of C: the first range of the channels is the earliest
/// frame.
std::span<const ConvolutionFrame> channelsAsFrames(const ChunkContext& chunk, const StripFeatures& x,
                                                   std::int64_t frames);

/// `x` with the columns that the convolution reads beside it.
StripFeatures withNeighbours(const ChunkContext& chunk, const PackedConvolution& convolution,
                             const Tensor& x);

/// Returns the convolution over frames of height × width pixels. Returns features of `type`.
Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution,
                std::span<const ConvolutionFrame> frames, std::int64_t height, std::int64_t width, DType type,
                const ConvolutionEpilogue& epilogue = {});

/// Returns a convolution that knows no past, over `x` and what its kernel reads from the neighbouring strips.
Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution, const Tensor& x);
Tensor convolve(const ChunkContext& chunk, const PackedConvolution& convolution, const Tensor& x, DType type);

/// Returns as many frames as it takes; earlier frames come from the cache, zeros before the first. `x` must
/// not change after it has been read.
class CausalConvolution {
  public:
    /// The kernel is kernelFrames × kernelSide × kernelSide, padded in space to keep the size.
    CausalConvolution(const VaeWeights& weights, const std::string& name, std::int64_t outChannels,
                      std::int64_t inChannels, std::int64_t kernelFrames, std::int64_t kernelSide);
    explicit CausalConvolution(PackedConvolution convolution) : m_convolution(std::move(convolution)) {}

    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x,
                               const ConvolutionEpilogue& epilogue = {}) const;
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x, DType type) const;

    /// Adds the result to `sum`.
    void addTo(const ChunkContext& chunk, const Tensor& x, Tensor& sum) const;

    [[nodiscard]] std::size_t bytes() const { return m_convolution.bytes(); }

  private:
    void applyTo(const ChunkContext& chunk, const Tensor& x, Tensor& out,
                 const ConvolutionEpilogue& epilogue) const;

    PackedConvolution m_convolution;
};

/// norm, SiLU, 3×3×3, norm, SiLU, 3×3×3, plus the input (through 1×1×1 when the width changes).
class ResidualBlock {
  public:
    ResidualBlock(const VaeWeights& weights, const std::string& name, std::int64_t inChannels,
                  std::int64_t outChannels);

    /// Applies the layer. The result may overwrite `x`, which must not be used elsewhere.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, Tensor x) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    ChannelNorm m_norm1;
    ChannelNorm m_norm2;
    CausalConvolution m_conv1;
    CausalConvolution m_conv2;
    std::optional<PackedConvolution> m_shortcut;
};

/// Residual single-head self-attention over the pixels of each frame.
class FrameAttention {
  public:
    FrameAttention(const VaeWeights& weights, const std::string& name, std::int64_t channels);

    /// Applies the layer. The result overwrites `x`, which must not be used elsewhere.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, Tensor x) const;
    [[nodiscard]] std::size_t bytes() const { return m_qkv.bytes() + m_projection.bytes(); }

  private:
    ChannelNorm m_norm;
    PackedConvolution m_qkv;
    PackedConvolution m_projection;
};

/// Residual block, attention, residual block.
class MidBlock {
  public:
    MidBlock(const VaeWeights& weights, const std::string& name, std::int64_t channels);

    /// Records PREFIX.mid_res0, PREFIX.mid_attn and PREFIX.mid.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, std::string_view prefix, Tensor x) const;
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
    OutputHead(const VaeWeights& weights, const std::string& name, std::int64_t outChannels,
               std::int64_t inChannels);

    /// f32, whatever the features are. Records PREFIX.norm_out and PREFIX.conv_out.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, std::string_view prefix, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const { return m_convolution.bytes(); }

  private:
    ChannelNorm m_norm;
    CausalConvolution m_convolution;
};

/// Halves height and width (3×3, stride 2, padded below and right); `temporal` halves time as well, except in
/// the first chunk, whose single frame passes.
class Downsampler {
  public:
    Downsampler(const VaeWeights& weights, const std::string& name, std::int64_t channels, bool temporal);

    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const { return m_space.bytes() + (m_time ? m_time->bytes() : 0); }

  private:
    PackedConvolution m_space;
    std::optional<PackedConvolution> m_time;
};

/// Doubles height and width (nearest neighbour, then 3×3 to `outChannels`); `temporal` doubles time as well,
/// except in the first chunk.
class Upsampler {
  public:
    Upsampler(const VaeWeights& weights, const std::string& name, std::int64_t channels,
              std::int64_t outChannels, bool temporal);

    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& x) const;
    [[nodiscard]] std::size_t bytes() const { return m_space.bytes() + (m_time ? m_time->bytes() : 0); }

  private:
    PackedConvolution m_space;
    std::optional<CausalConvolution> m_time;
};

/// Returns a copy of what a shortcut starts from: the layers that it goes around write over their input.
Tensor shortcutSource(const ChunkContext& chunk, const Tensor& x);

}  // namespace meshreel
