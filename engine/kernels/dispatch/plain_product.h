// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cblas.h>

namespace meshreel {

/// Computes cblas_sgemm and cblas_dgemm of row-major matrices in loops of our own: the reference for
/// OpenBLAS's products, and their replacement when no core of OpenBLAS is right. The bits of a row do not
/// depend on the rows computed with it. Throw Error{Internal} for column-major matrices.
void plainSgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n,
                blasint k, float alpha, const float* a, blasint lda, const float* b, blasint ldb, float beta,
                float* c, blasint ldc);
void plainDgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n,
                blasint k, double alpha, const double* a, blasint lda, const double* b, blasint ldb,
                double beta, double* c, blasint ldc);

}  // namespace meshreel
