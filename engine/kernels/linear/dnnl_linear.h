// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/kernels/linear/host_linear.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Products of f32 or bf16 values by oneDNN, by the type of `weight` [out, in], which is reordered into
/// oneDNN's blocks. `bias` f32 [out] or no elements.
std::unique_ptr<HostLinear> makeDnnlLinear(const Tensor& weight, Tensor bias);

/// Products of int8 values by oneDNN.
std::unique_ptr<HostLinear> makeDnnlInt8Linear(const Int8Weight& weight, Tensor bias);

/// Products of bf16 values by oneDNN for a weight that is used once: it is multiplied in place, a block of
/// its rows at a time on the left, and the rows of x are reordered instead. `weight` bf16 [out, in]; `bias`
/// as above.
std::unique_ptr<HostLinear> makeDnnlStreamedLinear(Tensor weight, Tensor bias);

/// Makes the layer from its parts, without a copy.
std::unique_ptr<HostLinear> dnnlLinearFromParts(const PackedForm& form);
std::unique_ptr<HostLinear> dnnlInt8LinearFromParts(const PackedForm& form);

/// Returns what format() of such a layer gives here.
std::string dnnlLinearFormat(std::int64_t out, std::int64_t in, DType type);
std::string dnnlInt8LinearFormat(std::int64_t out, std::int64_t in);

}  // namespace meshreel
