// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/linear/arithmetic.h"
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
    bool transposed = false;     ///< only as transposedBy2 has it

    friend bool operator==(const ConvolutionGeometry&, const ConvolutionGeometry&) = default;
};

/// A transposed convolution of stride 2, padding 1 and a kernel of 4×4, whose weight is [in, out, 4, 4]
/// (torch's ConvTranspose2d(in, out, 4, 2, 1)): an output pixel reads the 2×2 source pixels that a 3×3 kernel
/// would see there through the enlargement, each with a weight of its own.
inline constexpr ConvolutionGeometry transposedBy2{
    .padBefore = 1, .padAfter = 1, .upsample = 2, .transposed = true};

/// The part of a convolution that makes the output pixels of one place in every upsample × upsample square
/// (all of them without enlargement): a convolution of its own over the source pixels.
struct ConvolutionPhase {
    std::int64_t row = 0;  ///< of its output pixels in their squares
    std::int64_t column = 0;
    std::int64_t firstRow = 0;  ///< source row that the kernel starts at, from the square's source pixel
    std::int64_t firstColumn = 0;
    std::int64_t height = 1;  ///< of the kernel, in source pixels
    std::int64_t width = 1;
    Tensor weights = {};  ///< [blocks of channels, kt · height taps, features] as the kernel wants them

    /// Rounded up to the kernel's depth.
    [[nodiscard]] std::int64_t features(std::int64_t inChannels, const ConvolutionKernel& kernel) const;
};

/// A convolution as one kernel multiplies it: its shape, and its weights repacked once.
struct ConvolutionWeights {
    ConvolutionGeometry geometry;
    Arithmetic arithmetic = Arithmetic::F32;
    const ConvolutionKernel* kernel = nullptr;
    std::int64_t inChannels = 0;
    std::int64_t outChannels = 0;
    std::int64_t kernelFrames = 1;
    std::int64_t kernelHeight = 1;
    std::int64_t kernelWidth = 1;
    Tensor bias;                           ///< f32 [out, rounded up to the kernel's lane]
    std::vector<ConvolutionPhase> phases;  ///< one; upsample² of them where the input is enlarged

    [[nodiscard]] std::int64_t paddedOuts() const { return bias.elements(); }
    /// Returns the memory of weights and bias.
    [[nodiscard]] std::size_t bytes() const;
};

/// weight [out, in, kt, kh, kw] or [out, in, kh, kw] of any floating type, bias [out]; of transposedBy2 [in,
/// out, 4, 4]. Throws Error{Internal} when the shapes do not fit, and for an enlargement with a stride.
ConvolutionWeights packConvolution(const Tensor& weight, const Tensor& bias,
                                   const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                   const ConvolutionKernel& kernel);

}  // namespace meshreel
