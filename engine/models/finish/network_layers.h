// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/models/finish/network_tensors.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

// What the networks for finished videos are made of. A picture in them is a tensor f32 [height · width,
// channels], or columns of one.

/// How a network's convolutions are kept: rounded to `arithmetic`, in `memory` (null: the host's).
struct NetworkMemory {
    Memory* memory = nullptr;
    Arithmetic arithmetic = Arithmetic::F32;
};

inline constexpr ConvolutionGeometry sameSizeBy3{.padBefore = 1, .padAfter = 1};
inline constexpr ConvolutionGeometry halvedBy3{.spaceStride = 2, .padBefore = 1, .padAfter = 1};
inline constexpr ConvolutionGeometry doubledBy3{.padBefore = 1, .padAfter = 1, .upsample = 2};

/// Packs NAME.weight [outs, ins, 3, 3], or [ins, outs, 4, 4] for transposedBy2, and NAME.bias, both times
/// `factor`. Throws Error{Input} as NetworkTensors::get().
PackedConvolution readConvolution(const NetworkTensors& tensors, const std::string& name, std::int64_t ins,
                                  std::int64_t outs, const ConvolutionGeometry& geometry,
                                  const NetworkMemory& where, float factor = 1.0F);

/// Convolves a picture of `height` × `width` pixels into another; with `adds` it adds to what is there.
void convolvePicture(const Execution& execution, const PackedConvolution& convolution, const MatrixView& from,
                     std::int64_t height, std::int64_t width, const MatrixSpan& into, bool adds = false);

/// Room for a picture where the execution computes.
Tensor emptyPicture(const Execution& execution, std::int64_t pixels, std::int64_t channels);

}  // namespace meshreel
