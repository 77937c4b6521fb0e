// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A linear layer's weight and bias in the form that the matmul of this machine wants; packed once at load.
class PackedMatrix {
  public:
    /// weight [out, in] of any floating type, optional bias [out]. An f32 weight shares the tensor's memory.
    /// Throws Error{Internal} when the shapes do not fit.
    static PackedMatrix pack(const Tensor& weight, const Tensor* bias = nullptr);

    [[nodiscard]] std::int64_t outFeatures() const { return m_weight.extent(0); }
    [[nodiscard]] std::int64_t inFeatures() const { return m_weight.extent(1); }

    /// Memory held, bias included.
    [[nodiscard]] std::size_t bytes() const { return m_weight.bytes() + m_bias.bytes(); }

    /// y [rows, out] = x [rows, in] · weightᵀ + bias. The workers share the rows or the output features,
    /// whichever is larger, in static parts. x and y must not overlap.
    void apply(const Execution& execution, std::span<const float> x, std::int64_t rows,
               std::span<float> y) const;

  private:
    PackedMatrix(Tensor weight, Tensor bias);
    void applyPart(std::span<const float> x, std::span<float> y, std::int64_t firstRow, std::int64_t endRow,
                   std::int64_t firstOut, std::int64_t endOut) const;

    Tensor m_weight;  // f32 [out, in]
    Tensor m_bias;    // f32 [out], or no elements
};

/// c [m, n] = alpha · op(a) [m, k] · op(b) [k, n] + beta · c, row-major with leading dimensions lda, ldb,
/// ldc, on the calling thread alone. With beta 0, c need not be initialised.
void gemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc);

/// The same in f64.
void gemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc);

/// Whether a row of a · bᵀ has the same bits whatever rows are computed with it, in whatever parts of b: so
/// with OpenBLAS's AVX-512 kernels; its AVX2 kernels sum rows differently by their place in a block.
bool rowsOfProductsAreIndependent();

/// "OpenBLAS 0.3.21 SkylakeX": the library and the kernels that it chose for this CPU (display only).
std::string matmulLibrary();

}  // namespace meshreel
