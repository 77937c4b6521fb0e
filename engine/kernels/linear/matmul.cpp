// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/kernels/dispatch/blas_library.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

namespace {

blasint blasInt(std::int64_t value) {
    return static_cast<blasint>(value);
}

// OpenBLAS's AVX-512 kernels for a·bᵀ leave products up to these sizes to other kernels, which sum in another
// order (kernel/x86_64/sgemm_small_kernel_permit_skylakex.c): a row's bits would depend on how many rows a
// worker, or a device, computes with it.
constexpr std::int64_t smallOutputs = 1200;
constexpr std::int64_t smallDepth = 32;
constexpr std::int64_t smallSteps = 1'000'000;

bool isSmallProduct(std::int64_t m, std::int64_t n, std::int64_t k) {
    return m * n <= smallOutputs && k >= smallDepth && m * n * k <= smallSteps;
}

void callSgemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
               const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
               std::int64_t ldc) {
    BlasCall()->sgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans,
                      blasInt(m), blasInt(n), blasInt(k), alpha, a, blasInt(lda), b, blasInt(ldb), beta, c,
                      blasInt(ldc));
}

// c = alpha · a · bᵀ + beta · c with as many rows more as take the product out of the small ones.
void paddedGemm(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* a, std::int64_t lda,
                const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
    const std::int64_t rows = smallOutputs / n + 1;
    ScratchVector<float> paddedA(static_cast<std::size_t>(rows * k));
    ScratchVector<float> paddedC(static_cast<std::size_t>(rows * n));
    for (std::int64_t row = 0; row < m; ++row) {
        std::copy_n(a + row * lda, k, paddedA.data() + row * k);
        if (beta != 0.0F)
            std::copy_n(c + row * ldc, n, paddedC.data() + row * n);
    }
    callSgemm(false, true, rows, n, k, alpha, paddedA.data(), k, b, ldb, beta, paddedC.data(), n);
    for (std::int64_t row = 0; row < m; ++row)
        std::copy_n(paddedC.data() + row * n, n, c + row * ldc);
}

}  // namespace

void gemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc) {
    if (m <= 0 || n <= 0)
        return;
    if (!transA && transB && isSmallProduct(m, n, k))
        paddedGemm(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    else
        callSgemm(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(bool transA, bool transB, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc) {
    if (m <= 0 || n <= 0)
        return;
    BlasCall()->dgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans,
                      blasInt(m), blasInt(n), blasInt(k), alpha, a, blasInt(lda), b, blasInt(ldb), beta, c,
                      blasInt(ldc));
}

bool rowsOfProductsAreIndependent() {
    return blasLibrary().isOwnLoops() || blasLibrary().core == "SkylakeX";
}

std::string matmulLibrary() {
    const BlasLibrary& blas = blasLibrary();
    return blas.isOwnLoops() ? fmt::format("own loops in place of {}", blas.version)
                             : fmt::format("{} {}", blas.version, blas.core);
}

std::string matmulCore() {
    return blasLibrary().core;
}

}  // namespace meshreel
