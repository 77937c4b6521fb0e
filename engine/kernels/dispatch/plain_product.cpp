// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/plain_product.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// op(m): element (row, column) of the matrix as it is multiplied.
template <typename Real>
struct Operand {
    const Real* data;
    std::int64_t rowStep, columnStep;

    Operand(const Real* from, blasint stride, CBLAS_TRANSPOSE transposed)
        : data(from),
          rowStep(transposed == CblasNoTrans ? stride : 1),
          columnStep(transposed == CblasNoTrans ? 1 : stride) {}

    [[nodiscard]] Real at(std::int64_t row, std::int64_t column) const {
        return data[row * rowStep + column * columnStep];
    }
};

// A register of AVX2, the floor of every build.
struct Singles {
    using Value = __m256;
    static Value broadcast(float value) { return _mm256_set1_ps(value); }
    static Value load(const float* from) { return _mm256_load_ps(from); }
    static void store(float* to, Value value) { _mm256_store_ps(to, value); }
    static Value multiplyAdd(Value a, Value b, Value c) { return _mm256_fmadd_ps(a, b, c); }
};
struct Doubles {
    using Value = __m256d;
    static Value broadcast(double value) { return _mm256_set1_pd(value); }
    static Value load(const double* from) { return _mm256_load_pd(from); }
    static void store(double* to, Value value) { _mm256_store_pd(to, value); }
    static Value multiplyAdd(Value a, Value b, Value c) { return _mm256_fmadd_pd(a, b, c); }
};

/// A tile of c, whose sums the registers hold.
template <typename Real>
struct Tile {
    using Lanes = std::conditional_t<std::is_same_v<Real, float>, Singles, Doubles>;
    static constexpr std::int64_t lanes = 32 / sizeof(Real);
    static constexpr std::int64_t vectors = 2;
    static constexpr std::int64_t rows = 6;
    static constexpr std::int64_t columns = lanes * vectors;
    static constexpr std::int64_t depth = 256;  // of b, whose panel stays in the first-level cache

    struct alignas(32) Panel {
        std::array<Real, depth * columns> values;
    };
    struct alignas(32) Sums {
        std::array<Real, rows * columns> values;
    };

    /// Columns [first, first + columns) of b, rows [begin, end); zeros beyond its n columns.
    static void pack(const Operand<Real>& b, std::int64_t begin, std::int64_t end, std::int64_t first,
                     std::int64_t n, Panel& panel) {
        Real* to = panel.values.data();
        for (std::int64_t step = begin; step < end; ++step)
            for (std::int64_t column = 0; column < columns; ++column)
                *to++ = first + column < n ? b.at(step, first + column) : Real(0);
    }

    /// Takes rows [row, row + rows) of a; repeats the last of its m rows beyond it.
    static void sum(const Operand<Real>& a, std::int64_t row, std::int64_t m, std::int64_t begin,
                    std::int64_t end, const Panel& panel, Sums& result) {
        std::array<const Real*, rows> lines;
        for (std::int64_t line = 0; line < rows; ++line)
            lines[line] = a.data + std::min(row + line, m - 1) * a.rowStep + begin * a.columnStep;
        typename Lanes::Value sums[rows][vectors];
        for (auto& line : sums)
            for (auto& vector : line)
                vector = Lanes::broadcast(0);
        for (std::int64_t step = 0; step < end - begin; ++step)
            for (std::int64_t line = 0; line < rows; ++line)
                for (std::int64_t vector = 0; vector < vectors; ++vector)
                    sums[line][vector] = Lanes::multiplyAdd(
                        Lanes::load(panel.values.data() + step * columns + vector * lanes),
                        Lanes::broadcast(lines[line][step * a.columnStep]), sums[line][vector]);
        for (std::int64_t line = 0; line < rows; ++line)
            for (std::int64_t vector = 0; vector < vectors; ++vector)
                Lanes::store(result.values.data() + line * columns + vector * lanes, sums[line][vector]);
    }
};

template <typename Real>
struct Result {
    Real* data;
    std::int64_t m, n, stride;

    /// With 0, the previous values are not read.
    void scale(Real beta) const {
        for (std::int64_t row = 0; row < m; ++row)
            for (std::int64_t column = 0; column < n; ++column) {
                Real& value = data[row * stride + column];
                value = beta == Real(0) ? Real(0) : beta * value;
            }
    }

    void add(const typename Tile<Real>::Sums& sums, std::int64_t row, std::int64_t column, Real alpha) const {
        using Of = Tile<Real>;
        for (std::int64_t line = 0; line < std::min(Of::rows, m - row); ++line)
            for (std::int64_t place = 0; place < std::min(Of::columns, n - column); ++place)
                data[(row + line) * stride + column + place] +=
                    alpha * sums.values[static_cast<std::size_t>(line * Of::columns + place)];
    }
};

template <typename Real>
void multiply(CBLAS_ORDER order, const Operand<Real>& a, const Operand<Real>& b, std::int64_t k, Real alpha,
              Real beta, const Result<Real>& c) {
    using Of = Tile<Real>;
    if (order != CblasRowMajor)
        throw Error(ErrorKind::Internal, "Our own product was asked for column-major matrices");
    c.scale(beta);
    typename Of::Panel panel;
    typename Of::Sums sums;
    for (std::int64_t begin = 0; begin < k; begin += Of::depth) {
        const std::int64_t end = std::min(k, begin + Of::depth);
        for (std::int64_t column = 0; column < c.n; column += Of::columns) {
            Of::pack(b, begin, end, column, c.n, panel);
            for (std::int64_t row = 0; row < c.m; row += Of::rows) {
                Of::sum(a, row, c.m, begin, end, panel, sums);
                c.add(sums, row, column, alpha);
            }
        }
    }
}

}  // namespace

void plainSgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n,
                blasint k, float alpha, const float* a, blasint lda, const float* b, blasint ldb, float beta,
                float* c, blasint ldc) {
    multiply<float>(order, {a, lda, transA}, {b, ldb, transB}, k, alpha, beta,
                    {.data = c, .m = m, .n = n, .stride = ldc});
}

void plainDgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n,
                blasint k, double alpha, const double* a, blasint lda, const double* b, blasint ldb,
                double beta, double* c, blasint ldc) {
    multiply<double>(order, {a, lda, transA}, {b, ldb, transB}, k, alpha, beta,
                     {.data = c, .m = m, .n = n, .stride = ldc});
}

}  // namespace meshreel
