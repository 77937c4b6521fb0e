// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
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

    /// Returns the epilogue of output features [first, end) alone.
    [[nodiscard]] LinearEpilogue columns(std::int64_t first, std::int64_t end) const;
};

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

/// A linear layer's weight and bias as one implementation wants them, in the memory of what computes it.
class LinearKernel {
  public:
    LinearKernel() = default;
    virtual ~LinearKernel() = default;
    LinearKernel(const LinearKernel&) = delete;
    LinearKernel& operator=(const LinearKernel&) = delete;

    /// Computes all output features of all rows of x; the shapes fit. Throws Error{Internal} when x or y lies
    /// in another memory.
    virtual void apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
                       const LinearEpilogue& epilogue) const = 0;

    /// Returns the layout of parts(), and what they are made of: see PackedForm.
    [[nodiscard]] virtual std::string format() const = 0;
    [[nodiscard]] virtual std::vector<Tensor> parts() const = 0;
};

/// format() of layers whose weights are laid out as a checkpoint's.
inline constexpr std::string_view f32RowsFormat = "f32 [out, in]";
inline constexpr std::string_view bf16RowsFormat = "bf16 [out, in]";
inline constexpr std::string_view int8RowsFormat = "int8 [out, in], f32 scales [out]";

}  // namespace meshreel
