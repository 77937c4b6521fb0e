// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The part of a convolution that makes the output pixels of one place in every upsample × upsample square
/// (all of them, where nothing is enlarged): a convolution of its own over the source pixels.
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

/// The phases of weight f32 [out, in, kt, kh, kw] that reads the input from `padBefore` pixels before the
/// first. Kernel taps that see the same source pixel through the enlargement are added up, then rounded to
/// `arithmetic`.
std::vector<ConvolutionPhase> packPhases(const Tensor& weight, std::int64_t padBefore, std::int64_t upsample,
                                         Arithmetic arithmetic, const ConvolutionKernel& kernel);

}  // namespace meshreel
