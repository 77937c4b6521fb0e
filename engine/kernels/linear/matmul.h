// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace meshreel {

/// c [m, n] = alpha · op(a) [m, k] · op(b) [k, n] + beta · c, row-major with leading dimensions lda, ldb,
/// ldc, on the calling thread alone. With beta 0, c need not be initialised.
void gemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc);

/// Computes the product in f64.
void gemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc);

/// Returns whether a row of a · bᵀ has the same bits whatever rows are computed with it, in whatever parts of
/// b: so with OpenBLAS's core SkylakeX and with our own loops; other cores sum rows differently by their
/// place in a block.
bool rowsOfProductsAreIndependent();

/// "OpenBLAS 0.3.21 SkylakeX": the library and the core that it took, by its own name; or "own loops in place
/// of OpenBLAS 0.3.21". Two processes with the same text multiply to the same bits.
std::string matmulLibrary();

/// "SkylakeX"; empty for our own loops.
std::string matmulCore();

}  // namespace meshreel
