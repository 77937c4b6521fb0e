// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/plain_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace meshreel {
namespace {

/// A product whose matrices have lines that are longer than they need to be.
template <typename Real>
struct PlainCase {
    bool transA, transB;
    int m, n, k;
    Real alpha, beta;
    int lda, ldb, ldc;
    std::vector<Real> a, b, c;

    PlainCase(std::mt19937& random, bool turnA, bool turnB, int rows, int columns, int depth, Real scale,
              Real kept)
        : transA(turnA),
          transB(turnB),
          m(rows),
          n(columns),
          k(depth),
          alpha(scale),
          beta(kept),
          lda((turnA ? rows : depth) + 2),
          ldb((turnB ? depth : columns) + 1),
          ldc(columns + 5),
          a(filled(random, (turnA ? depth : rows) * lda)),
          b(filled(random, (turnB ? columns : depth) * ldb)),
          c(filled(random, rows * ldc)) {}

    static std::vector<Real> filled(std::mt19937& random, int count) {
        std::uniform_real_distribution<Real> values(-1, 1);
        std::vector<Real> result(static_cast<std::size_t>(count));
        for (Real& value : result)
            value = values(random);
        return result;
    }

    [[nodiscard]] std::vector<double> expected() const {
        std::vector<double> result(c.begin(), c.end());
        for (int row = 0; row < m; ++row)
            for (int column = 0; column < n; ++column) {
                double sum = 0;
                for (int step = 0; step < k; ++step)
                    sum += static_cast<double>(at(a, transA, lda, row, step)) *
                           static_cast<double>(at(b, transB, ldb, step, column));
                double& to = result[static_cast<std::size_t>(row * ldc + column)];
                to = (beta == 0 ? 0.0 : static_cast<double>(beta) * to) + static_cast<double>(alpha) * sum;
            }
        return result;
    }

    static Real at(const std::vector<Real>& matrix, bool turned, int stride, int row, int column) {
        return matrix[static_cast<std::size_t>(turned ? column * stride + row : row * stride + column)];
    }

    template <typename Product>
    void multiply(Product product) {
        product(CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans, m, n,
                k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
    }
};

template <typename Real, typename Product>
void expectProducts(Product product, double tolerance) {
    std::mt19937 random(11);
    for (const bool transA : {false, true})
        for (const bool transB : {false, true})
            for (const int m : {1, 5, 6, 13})
                for (const int n : {1, 16, 17, 45})
                    for (const int k : {0, 1, 70, 300})
                        for (const Real beta : {Real(0), Real(1), Real(0.5)}) {
                            PlainCase<Real> given(random, transA, transB, m, n, k, Real(0.75), beta);
                            if (beta == 0)
                                given.c[0] = std::numeric_limits<Real>::quiet_NaN();
                            const std::vector<double> expected = given.expected();
                            given.multiply(product);
                            for (std::size_t index = 0; index < expected.size(); ++index)
                                ASSERT_NEAR(static_cast<double>(given.c[index]), expected[index], tolerance)
                                    << m << "x" << k << "x" << n << " " << transA << transB;
                        }
}

TEST(PlainProduct, IsThatOfEachElementInF32) {
    expectProducts<float>(&plainSgemm, 1e-4);
}

TEST(PlainProduct, IsThatOfEachElementInF64) {
    expectProducts<double>(&plainDgemm, 1e-12);
}

TEST(PlainProduct, ARowHasTheSameBitsAloneAndInPartsOfTheOutputs) {
    std::mt19937 random(12);
    PlainCase<float> whole(random, false, true, 29, 45, 530, 1.0F, 0.0F);
    whole.multiply(&plainSgemm);
    for (int row = 0; row < whole.m; ++row)
        for (const int first : {0, 7}) {
            std::vector<float> alone(static_cast<std::size_t>(whole.n - first));
            plainSgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 1, whole.n - first, whole.k, 1.0F,
                       whole.a.data() + row * whole.lda, whole.lda, whole.b.data() + first * whole.ldb,
                       whole.ldb, 0.0F, alone.data(), whole.n);
            for (std::size_t column = 0; column < alone.size(); ++column)
                ASSERT_EQ(alone[column], whole.c[static_cast<std::size_t>(row * whole.ldc + first) + column]);
        }
}

}  // namespace
}  // namespace meshreel
