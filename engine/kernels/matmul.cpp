// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/blas_library.h"

namespace meshreel {

namespace {

// Parts begin at multiples of this, so that no worker is left with a sliver that the GEMM kernels handle
// slowly.
constexpr std::int64_t partGranule = 16;

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
    blasLibrary().sgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans,
                        blasInt(m), blasInt(n), blasInt(k), alpha, a, blasInt(lda), b, blasInt(ldb), beta, c,
                        blasInt(ldc));
}

// c = alpha · a · bᵀ + beta · c with as many rows more as take the product out of the small ones.
void paddedGemm(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* a, std::int64_t lda,
                const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
    const std::int64_t rows = smallOutputs / n + 1;
    std::vector<float> paddedA(static_cast<std::size_t>(rows * k));
    std::vector<float> paddedC(static_cast<std::size_t>(rows * n));
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

PackedMatrix::PackedMatrix(Tensor weight, Tensor bias)
    : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

PackedMatrix PackedMatrix::pack(const Tensor& weight, const Tensor* bias) {
    if (weight.shape().rank() != 2)
        throw Error(ErrorKind::Internal,
                    fmt::format("A linear weight must be [out, in], not {}", weight.shape().text()));
    if (bias != nullptr && bias->shape() != Shape{weight.extent(0)})
        throw Error(ErrorKind::Internal, fmt::format("A bias of shape {} does not fit a weight of shape {}",
                                                     bias->shape().text(), weight.shape().text()));
    return {weight.toF32(), bias != nullptr ? bias->toF32() : Tensor()};
}

void PackedMatrix::apply(const Execution& execution, std::span<const float> x, std::int64_t rows,
                         std::span<float> y) const {
    if (x.size() != static_cast<std::size_t>(rows * inFeatures()) ||
        y.size() != static_cast<std::size_t>(rows * outFeatures()))
        throw Error(ErrorKind::Internal, fmt::format("A matmul of {} rows by {} got {} inputs and {} outputs",
                                                     rows, m_weight.shape().text(), x.size(), y.size()));
    const bool splitRows = rows >= outFeatures();
    const std::int64_t extent = splitRows ? rows : outFeatures();
    const std::int64_t granules = (extent + partGranule - 1) / partGranule;
    execution.workers.parallelFor(granules, [&](std::int64_t firstGranule, std::int64_t endGranule) {
        const std::int64_t first = firstGranule * partGranule;
        const std::int64_t end = std::min(extent, endGranule * partGranule);
        if (splitRows)
            applyPart(x, y, first, end, 0, outFeatures());
        else
            applyPart(x, y, 0, rows, first, end);
    });
}

void PackedMatrix::applyPart(std::span<const float> x, std::span<float> y, std::int64_t firstRow,
                             std::int64_t endRow, std::int64_t firstOut, std::int64_t endOut) const {
    const std::int64_t in = inFeatures();
    const std::int64_t out = outFeatures();
    const bool hasBias = m_bias.elements() > 0;
    float* result = y.data() + firstRow * out + firstOut;
    if (hasBias) {
        const auto bias = m_bias.data<float>().subspan(static_cast<std::size_t>(firstOut),
                                                       static_cast<std::size_t>(endOut - firstOut));
        for (std::int64_t row = 0; row < endRow - firstRow; ++row)
            std::copy(bias.begin(), bias.end(), result + row * out);
    }
    gemm(false, true, endRow - firstRow, endOut - firstOut, in, 1.0F, x.data() + firstRow * in, in,
         m_weight.data<float>().data() + firstOut * in, in, hasBias ? 1.0F : 0.0F, result, out);
}

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
    blasLibrary().dgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans,
                        blasInt(m), blasInt(n), blasInt(k), alpha, a, blasInt(lda), b, blasInt(ldb), beta, c,
                        blasInt(ldc));
}

bool rowsOfProductsAreIndependent() {
    return std::string_view(blasLibrary().coreName()) == "SkylakeX";
}

std::string matmulLibrary() {
    // openblas_get_config: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64".
    const std::string_view config = blasLibrary().config();
    const std::size_t afterName = config.find(' ');
    const std::size_t afterVersion = config.find(' ', afterName + 1);
    return fmt::format("{} {}", config.substr(0, afterVersion), blasLibrary().coreName());
}

}  // namespace meshreel
