// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// How a convolution walks over its input. Time is never padded: the caller hands over the frames of the
/// past.
struct ConvolutionGeometry {
    std::int64_t timeStride = 1;
    std::int64_t spaceStride = 1;
    std::int64_t padBefore = 0;  ///< zero rows above and zero columns left of each frame
    std::int64_t padAfter = 0;   ///< zero rows below and zero columns right of each frame
    std::int64_t upsample = 1;   ///< the input is seen through nearest-neighbour enlargement by this factor

    friend bool operator==(const ConvolutionGeometry&, const ConvolutionGeometry&) = default;
};

/// One input frame, channels last. A frame that is a strip of a wider one brings the columns next to it;
/// where there are none the image ends and zeros are read.
struct ConvolutionFrame {
    const float* pixels = nullptr;  ///< [height, width, in]; nullptr: a frame of zeros, whose work is skipped
    const float* left = nullptr;    ///< [height, in]: the column before the first
    const float* right = nullptr;   ///< [height, in]: the column behind the last
};

/// A 3-D convolution (or a 2-D one, frame by frame) over channel-last f32 frames, its weights repacked once
/// for blocked matrix products. Each worker gathers strips of output pixels that fit its L2 cache; the whole
/// im2col matrix never exists.
class PackedConvolution {
  public:
    /// weight [out, in, kt, kh, kw] or [out, in, kh, kw] of any floating type, bias [out].
    /// Throws Error{Internal} when the shapes do not fit.
    static PackedConvolution pack(const Tensor& weight, const Tensor& bias,
                                  const ConvolutionGeometry& geometry);

    [[nodiscard]] std::int64_t inChannels() const { return m_inChannels; }
    [[nodiscard]] std::int64_t outChannels() const { return m_outChannels; }
    [[nodiscard]] std::int64_t kernelFrames() const { return m_kernelFrames; }

    /// Whether a strip of a wider frame needs the column left (right) of it.
    [[nodiscard]] bool readsLeftColumn() const { return m_geometry.padBefore > 0; }
    [[nodiscard]] bool readsRightColumn() const { return m_geometry.padAfter > 0; }

    /// Memory of weights and bias.
    [[nodiscard]] std::size_t bytes() const { return m_weight.bytes() + m_bias.bytes(); }

    /// (frames - kt)/timeStride + 1, or 0 when there are fewer frames than the kernel is long.
    [[nodiscard]] std::int64_t outFrames(std::int64_t frames) const;
    [[nodiscard]] std::int64_t outHeight(std::int64_t height) const {
        return outExtent(height, m_kernelHeight);
    }
    [[nodiscard]] std::int64_t outWidth(std::int64_t width) const { return outExtent(width, m_kernelWidth); }

    /// `frames` of height × width pixels, past ones first. `out`: [outFrames, outHeight, outWidth, out]; must
    /// not overlap the input. The workers share the output pixels. Throws Error{Internal} when `out` has
    /// another size, or a frame is a strip and the kernel reaches further than one column.
    void apply(const Execution& execution, std::span<const ConvolutionFrame> frames, std::int64_t height,
               std::int64_t width, std::span<float> out) const;

  private:
    struct Strip;
    struct FrameExtent;

    PackedConvolution() = default;
    [[nodiscard]] std::int64_t outExtent(std::int64_t extent, std::int64_t kernel) const;
    [[nodiscard]] bool isPointwise() const;
    [[nodiscard]] std::int64_t tapFeatures() const { return m_kernelWidth * m_inChannels; }
    [[nodiscard]] std::int64_t tapsPerSlab() const;
    [[nodiscard]] std::int64_t stripPixels(std::int64_t framePixels, std::int64_t frames, int workers) const;
    void accumulatePointwise(const Strip& strip, std::span<const ConvolutionFrame> window) const;
    void accumulateGathered(const Strip& strip, std::span<const ConvolutionFrame> window,
                            const FrameExtent& in, std::vector<float>& slab) const;
    void gatherTap(const Strip& strip, const ConvolutionFrame& frame, std::int64_t kernelRow,
                   const FrameExtent& in, float* slab, std::int64_t slabFeatures) const;
    void gatherBorder(const ConvolutionFrame& frame, std::int64_t row, std::int64_t x, std::int64_t width,
                      float* slab) const;
    void requireReachableColumns(std::span<const ConvolutionFrame> frames) const;
    void multiply(const Strip& strip, const float* features, std::int64_t count, std::int64_t stride,
                  std::int64_t firstWeightRow) const;

    ConvolutionGeometry m_geometry;
    std::int64_t m_inChannels = 0;
    std::int64_t m_outChannels = 0;
    std::int64_t m_kernelFrames = 1;
    std::int64_t m_kernelHeight = 1;
    std::int64_t m_kernelWidth = 1;
    Tensor m_weight;  // [kt, kh, kw, in, out]
    Tensor m_bias;    // [out]
};

}  // namespace meshreel
