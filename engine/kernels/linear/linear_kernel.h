// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

enum class LinearActivation : std::uint8_t { None, GeluTanh, GeluErf, Silu };

/// What a linear layer does with its products while they are in the cache:
/// y = [y +] gate · activation(x·Wᵀ + bias), all in f32 until y is written.
struct LinearEpilogue {
    LinearActivation activation = LinearActivation::None;
    std::span<const float> gate = {};  ///< [out], or none
    bool addToOutput = false;

    [[nodiscard]] bool isEmpty() const {
        return activation == LinearActivation::None && gate.empty() && !addToOutput;
    }

    /// For output features [first, end) alone.
    [[nodiscard]] LinearEpilogue columns(std::int64_t first, std::int64_t end) const;
};

/// Rows of x·Wᵀ + bias, `stride` elements from one to the next; the epilogue overwrites them.
struct LinearProducts {
    float* values = nullptr;
    std::int64_t stride = 0;
};

/// Writes y from `products`, which may be y's own memory when y is f32.
void finishLinear(const LinearEpilogue& epilogue, const LinearProducts& products, const MatrixSpan& y);

/// What a packed linear layer is made of, to be kept in a file and mapped again.
struct PackedForm {
    Arithmetic arithmetic = Arithmetic::F32;
    std::int64_t outFeatures = 0;
    std::int64_t inFeatures = 0;

    /// The layout of `parts`: "oneDNN 2.6.3 bf16 32a64b2a ...". Another text is another layout.
    std::string format;

    /// The weight first; a missing bias has no elements. Their number, shapes and types follow from the
    /// format and the features.
    std::vector<Tensor> parts;
};

/// The bytes of a bias: none, or out · 4.
inline constexpr std::size_t biasPart = static_cast<std::size_t>(-1);

/// Throws Error{Input} unless the parts have these sizes in bytes.
void requireParts(const PackedForm& form, std::initializer_list<std::size_t> bytes);

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
