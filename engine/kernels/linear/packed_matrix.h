// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

class LinearKernel;
struct LinearCandidate;

/// A linear layer's weight and bias in the form that the matmul of this machine wants; packed once at load.
/// Copies share the memory.
class PackedMatrix {
  public:
    /// weight [out, in] of any floating type, optional bias [out]. With F32, an f32 weight shares the
    /// tensor's memory; with BF16 on a CPU that unpacks, a bf16 weight does. Throws Error{Internal} when the
    /// shapes do not fit.
    static PackedMatrix pack(const Tensor& weight, const Tensor* bias = nullptr,
                             Arithmetic arithmetic = Arithmetic::F32);

    /// Packs with `candidate`, one of `arithmetic`'s.
    static PackedMatrix packBy(const LinearCandidate& candidate, Arithmetic arithmetic, const Tensor& weight,
                               const Tensor* bias = nullptr);

    /// Packs a weight that is used once and given up: only if the matmul cannot do without.
    static PackedMatrix stream(const Tensor& weight, const Tensor* bias, Arithmetic arithmetic);

    /// Keeps the matrix in the memory of a device: f32 and bf16 weights unchanged, or rounded to int8.
    static PackedMatrix keepIn(Memory& memory, const Tensor& weight, const Tensor* bias,
                               Arithmetic arithmetic);

    /// Returns the matrix that `form` was taken from, over the memory of its parts. Throws Error{Input} when
    /// this process packs in another format (another instruction set or library), or a part has another size.
    static PackedMatrix fromPacked(const PackedForm& form);

    /// Returns the format of such a matrix packed by this process.
    static std::string packedFormat(std::int64_t outFeatures, std::int64_t inFeatures, Arithmetic arithmetic);

    /// Returns what fromPacked() takes, sharing memory.
    [[nodiscard]] PackedForm packed() const;

    [[nodiscard]] std::int64_t outFeatures() const { return m_outFeatures; }
    [[nodiscard]] std::int64_t inFeatures() const { return m_inFeatures; }
    [[nodiscard]] Arithmetic arithmetic() const { return m_arithmetic; }

    /// Returns the memory held, bias included.
    [[nodiscard]] std::size_t bytes() const;

    /// y [rows, out] = [y +] gate · activation(x [rows, in] · weightᵀ + bias): as `epilogue` says. x and y
    /// are f32 or bf16, whatever the arithmetic. Computed by the workers or, of a matrix in its memory, by
    /// the GPU. x and y must not overlap. Throws Error{Internal} when the shapes do not fit, or the matrix
    /// lies in another memory than x and y.
    void apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
               const LinearEpilogue& epilogue = {}) const;

    /// Applies the matrix without an epilogue, on contiguous rows.
    void apply(const Execution& execution, std::span<const float> x, std::int64_t rows,
               std::span<float> y) const;

  private:
    static void requireShapes(const Tensor& weight, const Tensor* bias);
    PackedMatrix(std::int64_t outFeatures, std::int64_t inFeatures, Arithmetic arithmetic,
                 std::shared_ptr<const LinearKernel> kernel);
    void requireFit(const MatrixView& x, const MatrixSpan& y, const LinearEpilogue& epilogue) const;

    std::int64_t m_outFeatures;
    std::int64_t m_inFeatures;
    Arithmetic m_arithmetic;
    std::shared_ptr<const LinearKernel> m_kernel;
};

}  // namespace meshreel
