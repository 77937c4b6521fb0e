// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/kernels/convolution/convolution.h"
#include "engine/models/vae/wan_vae_chunk.h"
#include "engine/models/vae/wan_vae_layers.h"

namespace meshreel {

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

}  // namespace meshreel
