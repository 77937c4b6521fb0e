// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/execution.h"
#include "engine/models/finish/network_layers.h"
#include "engine/models/finish/network_tensors.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Makes pictures larger by a network: RRDBNet (Wang et al., "ESRGAN"; BasicSR's rrdbnet_arch.py) or
/// SRVGGNetCompact (Real-ESRGAN's srvgg_arch.py).
class Upscaler {
  public:
    /// Throws Error{Input} as upscalerLayout() and for tensors that are missing or of another shape.
    Upscaler(const NetworkTensors& tensors, const NetworkMemory& where);

    [[nodiscard]] const UpscalerLayout& layout() const { return m_layout; }
    /// Returns the memory of the weights.
    [[nodiscard]] std::size_t bytes() const;

    /// Returns a picture f32 [height, width, 3] of colours in [0, 1] `scale` times as large, on the host, not
    /// clipped. Sides that `folded` does not divide are continued by their last pixels.
    [[nodiscard]] Tensor enlarge(const Execution& execution, const Tensor& picture) const;

  private:
    /// ResidualDenseBlock of upstream: each convolution reads what those before it made; a fifth of what the
    /// last one makes is added to what came in.
    struct DenseBlock {
        std::vector<PackedConvolution> convolutions;
    };

    void readDense(const NetworkTensors& tensors, const NetworkMemory& where);
    void readCompact(const NetworkTensors& tensors, const NetworkMemory& where);
    void passBlocks(const Execution& execution, Tensor& shallow, std::int64_t height,
                    std::int64_t width) const;
    void passBlock(const Execution& execution, const DenseBlock& block, Tensor& rows, Tensor& next,
                   std::int64_t height, std::int64_t width) const;
    [[nodiscard]] Tensor applyDense(const Execution& execution, const Tensor& pixels, std::int64_t height,
                                    std::int64_t width) const;
    [[nodiscard]] Tensor applyCompact(const Execution& execution, const Tensor& pixels, std::int64_t height,
                                      std::int64_t width) const;

    UpscalerLayout m_layout;
    std::vector<PackedConvolution> m_chain;  ///< of a compact network; of a dense one the first and conv_body
    std::vector<std::vector<float>> m_slopes;  ///< behind each convolution of a compact network but the last
    std::vector<DenseBlock> m_blocks;          ///< three of each RRDB
    std::vector<PackedConvolution> m_tail;
};

}  // namespace meshreel
