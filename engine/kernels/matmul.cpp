// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/kernels/blas_library.h"

namespace meshreel {

namespace {

// Parts begin at multiples of this, so that no worker is left with a sliver that the GEMM kernels handle
// slowly.
constexpr std::int64_t partGranule = 16;

blasint blasInt(std::int64_t value) {
    return static_cast<blasint>(value);
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
    blasLibrary().sgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans,
                        blasInt(m), blasInt(n), blasInt(k), alpha, a, blasInt(lda), b, blasInt(ldb), beta, c,
                        blasInt(ldc));
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

std::string matmulLibrary() {
    // openblas_get_config: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64".
    const std::string_view config = blasLibrary().config();
    const std::size_t afterName = config.find(' ');
    const std::size_t afterVersion = config.find(' ', afterName + 1);
    return fmt::format("{} {}", config.substr(0, afterVersion), blasLibrary().coreName());
}

}  // namespace meshreel
