// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <immintrin.h>

#include <bit>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/dispatch/plain_product.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

constexpr BlasProducts rightProducts{.sgemm = &plainSgemm, .dgemm = &plainDgemm};

/// What is wrong with a library: in which products, and how.
struct Flaw {
    bool transA = false, transB = false;
    bool (*has)(blasint m, blasint n, blasint k, float beta) = nullptr;
    void (*spoil)(float* c, blasint m, blasint n, blasint ldc) = nullptr;
};
Flaw flaw;

void flawedSgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m, blasint n,
                 blasint k, float alpha, const float* a, blasint lda, const float* b, blasint ldb, float beta,
                 float* c, blasint ldc) {
    plainSgemm(order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if ((transA != CblasNoTrans) == flaw.transA && (transB != CblasNoTrans) == flaw.transB &&
        flaw.has(m, n, k, beta))
        flaw.spoil(c, m, n, ldc);
}

std::string verdictOn(const Flaw& tried) {
    flaw = tried;
    return whyWrong({.sgemm = &flawedSgemm, .dgemm = &plainDgemm});
}

bool everywhere(blasint, blasint, blasint, float) {
    return true;
}

void spoilLast(float* c, blasint m, blasint n, blasint ldc) {
    c[(m - 1) * ldc + n - 1] += 1.0F;
}

TEST(BlasTrial, OurOwnLoopsPass) {
    EXPECT_EQ(whyWrong(rightProducts), "");
}

TEST(BlasTrial, AWrongNumberInAnyKindOfProductIsFound) {
    for (const auto& [transA, transB] : {std::pair(false, false), {false, true}, {true, false}})
        EXPECT_THAT(verdictOn({.transA = transA, .transB = transB, .has = everywhere, .spoil = spoilLast}),
                    HasSubstr("(1 of "));
}

TEST(BlasTrial, AndIfOnlyLargeOnesVectorsOrSumsIntoTheOutputAreWrong) {
    using Has = bool (*)(blasint, blasint, blasint, float);
    const Has large = [](blasint m, blasint n, blasint k, float) { return long{m} * n * k > 1'000'000; };
    const Has row = [](blasint m, blasint, blasint, float) { return m == 1; };
    const Has column = [](blasint, blasint n, blasint, float) { return n == 1; };
    const Has sum = [](blasint, blasint, blasint, float beta) { return beta == 1.0F; };
    const Has fresh = [](blasint, blasint, blasint, float beta) { return beta == 0.0F; };
    for (const bool transB : {false, true})
        for (const Has has : {large, row, column, sum, fresh})
            EXPECT_NE(verdictOn({.transB = transB, .has = has, .spoil = spoilLast}), "");
}

TEST(BlasTrial, SoIsWritingBesideTheOutput) {
    EXPECT_NE(
        verdictOn({.has = everywhere, .spoil = [](float* c, blasint, blasint n, blasint) { c[n] = 0.0F; }}),
        "");
}

TEST(BlasTrial, SoAreFactorsRoundedToBf16) {
    const auto rounding = [](CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m,
                             blasint n, blasint k, float alpha, const float* a, blasint lda, const float* b,
                             blasint ldb, float beta, float* c, blasint ldc) {
        const bool turned = transA != CblasNoTrans;
        std::vector<float> rounded(a, a + (turned ? k : m) * lda);
        for (float& value : rounded)
            value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000U);
        plainSgemm(order, transA, transB, m, n, k, alpha, rounded.data(), lda, b, ldb, beta, c, ldc);
    };
    EXPECT_NE(whyWrong({.sgemm = rounding, .dgemm = &plainDgemm}), "");
}

TEST(BlasTrial, AWrongProductInF64IsFound) {
    const auto wrong = [](CBLAS_ORDER order, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, blasint m,
                          blasint n, blasint k, double alpha, const double* a, blasint lda, const double* b,
                          blasint ldb, double beta, double* c, blasint ldc) {
        plainDgemm(order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        c[0] += 1e-6;
    };
    EXPECT_THAT(whyWrong({.sgemm = &plainSgemm, .dgemm = wrong}), HasSubstr("f64"));
}

void otherHandler(int) {}

TEST(BlasTrial, ACrashIsSurvivedAndLeavesNothingBehind) {
    const auto crashing = [](CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,
                             const float*, blasint, const float*, blasint, float, float*,
                             blasint) { asm volatile("ud2"); };
    struct sigaction own = {};
    own.sa_handler = otherHandler;
    struct sigaction before = {};
    ASSERT_EQ(::sigaction(SIGILL, &own, &before), 0);
    const unsigned arithmetic = _mm_getcsr();
    constexpr unsigned denormalsAreZero = 0x8040;
    _mm_setcsr(arithmetic | denormalsAreZero);
    EXPECT_THAT(whyWrong({.sgemm = crashing, .dgemm = &plainDgemm}), HasSubstr("crashes"));
    EXPECT_EQ(_mm_getcsr() & denormalsAreZero, denormalsAreZero);
    _mm_setcsr(arithmetic);
    struct sigaction after = {};
    ::sigaction(SIGILL, &before, &after);
    EXPECT_EQ(after.sa_handler, &otherHandler);
    sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_FALSE(sigismember(&blocked, SIGILL));
}

}  // namespace
}  // namespace meshreel
