// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Keeps a convolution in the memory of a GPU, which computes it, for whole frames and with kernels of up to
/// three frames; for the rest as PackedConvolution::pack(). Its shaders are chosen here. Throws Error{Device}
/// when the GPU refuses every way to compute it.
std::unique_ptr<ConvolutionOperation> keepConvolution(InVulkan in, const Tensor& weight, const Tensor& bias,
                                                      const ConvolutionGeometry& geometry,
                                                      Arithmetic arithmetic);

}  // namespace meshreel
