// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Rows of x·Wᵀ + bias, `stride` elements from one to the next; the epilogue overwrites them.
struct LinearProducts {
    float* values = nullptr;
    std::int64_t stride = 0;
};

/// Writes y from `products`, which may be y's own memory when y is f32.
void finishLinear(const LinearEpilogue& epilogue, const LinearProducts& products, const MatrixSpan& y);

/// Output features [first, end) of a linear layer.
struct OutputRange {
    std::int64_t first = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t size() const { return end - first; }
};

/// A linear layer that the host's workers compute together.
class HostLinear : public LinearKernel {
  public:
    /// The workers share the rows or the output features, whichever is larger, in static parts.
    void apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
               const LinearEpilogue& epilogue) const final;

    /// Computes output features `outputs` of all rows of x, on the calling thread alone; `y` and the
    /// epilogue's gate have only their columns.
    virtual void applyPart(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue,
                           OutputRange outputs) const = 0;

    /// Returns whether applyPart() can be asked for some of the output features.
    [[nodiscard]] virtual bool splitsOutputs() const { return true; }
};

/// Products of f32 values by OpenBLAS. `weight` f32 [out, in]; `bias` f32 [out] or no elements.
std::unique_ptr<HostLinear> makeF32Linear(Tensor weight, Tensor bias);

/// Products of values rounded to bf16, on CPUs without instructions for them: the weight is kept as bf16 and
/// unpacked to f32 in blocks that OpenBLAS multiplies. `weight` bf16 [out, in]; `bias` as above.
std::unique_ptr<HostLinear> makeUnpackedBf16Linear(Tensor weight, Tensor bias);

/// Makes a layer of values rounded to int8.
std::unique_ptr<HostLinear> makeUnpackedInt8Linear(Int8Weight weight, Tensor bias);

/// Makes a layer from the parts() of such a layer, without a copy. Throw Error{Input} for parts of other
/// sizes.
std::unique_ptr<HostLinear> f32LinearFromParts(const PackedForm& form);
std::unique_ptr<HostLinear> unpackedBf16LinearFromParts(const PackedForm& form);
std::unique_ptr<HostLinear> unpackedInt8LinearFromParts(const PackedForm& form);

}  // namespace meshreel
