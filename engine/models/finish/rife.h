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
#include "engine/models/finish/rife_layout.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// RIFE 4.x: makes the frame at any time between two frames (Huang et al., "Real-Time Intermediate Flow
/// Estimation for Video Frame Interpolation"; the network is IFNet of Practical-RIFE's 4.x versions). Blocks
/// refine, from coarse to fine, the flow from the new frame to each of the two, and a mask that says which of
/// them shows a place.
class Rife {
  public:
    /// Throws Error{Input} as rifeLayout() and for tensors that are missing or of another shape.
    Rife(const NetworkTensors& tensors, const NetworkMemory& where);

    [[nodiscard]] const RifeLayout& layout() const { return m_layout; }
    /// Returns the memory of the weights.
    [[nodiscard]] std::size_t bytes() const;

    /// A frame as the network reads it: padded with zeros right and below, where the network computes.
    struct Frame {
        Tensor pixels;    ///< [height · width, 3]
        Tensor features;  ///< [height · width, features of the form]; no elements without a head
        std::int64_t height = 0;
        std::int64_t width = 0;
    };

    /// Prepares a frame f32 [height, width, 3] of colours in [0, 1], once for all frames beside it.
    [[nodiscard]] Frame prepare(const Execution& execution, const Tensor& colours) const;

    /// Returns the frame at `time` in (0, 1) between two of one size, f32 [height, width, 3] as they were
    /// given, not clipped. `probe` gets "flow" [height · width, 4] and "mask" [height · width, 1], both
    /// padded.
    [[nodiscard]] Tensor between(const Execution& execution, const Frame& one, const Frame& other, float time,
                                 std::int64_t height, std::int64_t width, const Probe& probe = {}) const;

  private:
    /// IFBlock of upstream.
    struct Block {
        PackedConvolution first;
        PackedConvolution second;
        std::vector<PackedConvolution> residuals;  ///< times their beta
        PackedConvolution last;
        std::int64_t ins;
        std::int64_t width;
    };

    struct State;

    [[nodiscard]] static Block readBlock(const NetworkTensors& tensors, const RifeLayout& layout,
                                         std::size_t index, const NetworkMemory& where);
    [[nodiscard]] Tensor features(const Execution& execution, const Tensor& pixels, std::int64_t height,
                                  std::int64_t width) const;
    [[nodiscard]] Tensor applyBlock(const Execution& execution, const Block& block, const Tensor& input,
                                    std::int64_t height, std::int64_t width) const;
    void refine(const Execution& execution, std::size_t index, State& state) const;
    void showFrames(const Execution& execution, State& state, bool warped) const;

    RifeLayout m_layout;
    std::vector<PackedConvolution> m_head;
    std::vector<Block> m_blocks;
};

}  // namespace meshreel
