// SPDX-License-Identifier: GPL-3.0-or-later
// libopenblas.so.0 for tests, found first by LD_LIBRARY_PATH: it takes its core as OpenBLAS does, while it
// loads. With the cores that WRONG_CORES names one element of each product is off by one; with those of
// CRASHING_CORES a product is an instruction that no CPU has. Its version is 0.0.0.
#include <cblas.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 4> cores{"SkylakeX", "Haswell", "Sandybridge", "Nehalem"};

const std::string core = [] {
    const char* asked = std::getenv("OPENBLAS_CORETYPE");
    const bool known = asked != nullptr && std::ranges::find(cores, asked) != cores.end();
    return std::string(known ? asked : "Haswell");
}();

bool isNamedIn(std::string_view list) {
    return (" " + std::string(list) + " ").find(" " + core + " ") != std::string::npos;
}

template <typename Real>
void multiply(bool transA, bool transB, int m, int n, int k, Real alpha, const Real* a, int lda,
              const Real* b, int ldb, Real beta, Real* c, int ldc) {
    if (isNamedIn(CRASHING_CORES))
        asm volatile("ud2");
    for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
            double sum = 0;
            for (int step = 0; step < k; ++step)
                sum += static_cast<double>(transA ? a[step * lda + row] : a[row * lda + step]) *
                       static_cast<double>(transB ? b[column * ldb + step] : b[step * ldb + column]);
            Real& to = c[row * ldc + column];
            to = (beta == Real(0) ? Real(0) : beta * to) + alpha * static_cast<Real>(sum);
        }
    if (isNamedIn(WRONG_CORES))
        c[(m - 1) * ldc + n - 1] += 1;
}

}  // namespace

extern "C" {

void cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n, blasint k,
                 float alpha, const float* a, blasint lda, const float* b, blasint ldb, float beta, float* c,
                 blasint ldc) {
    multiply(transA != CblasNoTrans, transB != CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n, blasint k,
                 double alpha, const double* a, blasint lda, const double* b, blasint ldb, double beta,
                 double* c, blasint ldc) {
    multiply(transA != CblasNoTrans, transB != CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void openblas_set_num_threads(int) {}

char* openblas_get_corename() {
    static std::string name = core;
    return name.data();
}

char* openblas_get_config() {
    static std::string config = "OpenBLAS 0.0.0 DYNAMIC_ARCH " + core + " MAX_THREADS=64";
    return config.data();
}
}
