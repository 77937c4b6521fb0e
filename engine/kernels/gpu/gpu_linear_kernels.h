// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Keeps a linear layer in the memory of a GPU, which computes it: `weight` [out, in] of any floating type as
/// it is, f32 or bf16, or rounded to int8; `bias` f32 [out] or no elements. The layer's shaders are chosen
/// here. A layer with Arithmetic::F32 multiplies rows of bf16 only if the GPU's kernel for them was bound
/// before (prepareKernels). Throws Error{Device} when the GPU refuses every way to compute it.
std::unique_ptr<LinearKernel> keepLinear(InVulkan in, const Tensor& weight, const Tensor& bias,
                                         Arithmetic arithmetic);

}  // namespace meshreel
