// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/linear/linear_epilogue.h"
#include "engine/kernels/linear/packed_form.h"
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

    /// Whether apply() can be asked for some of the output features.
    [[nodiscard]] virtual bool splitsOutputs() const { return true; }

    /// The layout of parts(), and what they are made of: see PackedForm.
    [[nodiscard]] virtual std::string format() const = 0;
    [[nodiscard]] virtual std::vector<Tensor> parts() const = 0;
};

/// format() of layers whose weights lie as a checkpoint's do.
inline constexpr std::string_view f32RowsFormat = "f32 [out, in]";
inline constexpr std::string_view bf16RowsFormat = "bf16 [out, in]";
inline constexpr std::string_view int8RowsFormat = "int8 [out, in], f32 scales [out]";

/// Products of f32 values by OpenBLAS. `weight` f32 [out, in]; `bias` f32 [out] or no elements.
std::unique_ptr<LinearKernel> makeF32Linear(Tensor weight, Tensor bias);

/// Products of values rounded to bf16, on CPUs without instructions for them: the weight is kept as bf16 and
/// unpacked to f32 in blocks that OpenBLAS multiplies. `weight` bf16 [out, in]; `bias` as above.
std::unique_ptr<LinearKernel> makeUnpackedBf16Linear(Tensor weight, Tensor bias);

/// The same of values rounded to int8.
std::unique_ptr<LinearKernel> makeUnpackedInt8Linear(Int8Weight weight, Tensor bias);

/// The same from parts() of such a layer, without a copy. Throw Error{Input} for parts of other sizes.
std::unique_ptr<LinearKernel> f32LinearFromParts(const PackedForm& form);
std::unique_ptr<LinearKernel> unpackedBf16LinearFromParts(const PackedForm& form);
std::unique_ptr<LinearKernel> unpackedInt8LinearFromParts(const PackedForm& form);

}  // namespace meshreel
