// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/kernels/linear_epilogue.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Output features [first, end) of a linear layer.
struct OutputRange {
    std::int64_t first = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t size() const { return end - first; }
};

/// A linear layer's weight and bias as one implementation wants them.
class LinearKernel {
  public:
    LinearKernel() = default;
    virtual ~LinearKernel() = default;
    LinearKernel(const LinearKernel&) = delete;
    LinearKernel& operator=(const LinearKernel&) = delete;

    /// Output features `outputs` of all rows of x, on the calling thread alone; `y` and the epilogue's gate
    /// have their columns only.
    virtual void apply(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                       OutputRange outputs) const = 0;

    /// Memory held, bias included.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// Products of f32 values by OpenBLAS. `weight` f32 [out, in]; `bias` f32 [out] or no elements.
std::unique_ptr<LinearKernel> makeF32Linear(Tensor weight, Tensor bias);

/// Products of values rounded to bf16, on CPUs without instructions for them: the weight is kept as bf16 and
/// unpacked to f32 in blocks that OpenBLAS multiplies. `weight` bf16 [out, in]; `bias` as above.
std::unique_ptr<LinearKernel> makeUnpackedBf16Linear(Tensor weight, Tensor bias);

}  // namespace meshreel
