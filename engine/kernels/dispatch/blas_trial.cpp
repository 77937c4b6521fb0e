// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_trial.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "engine/kernels/dispatch/plain_product.h"

namespace meshreel {
namespace {

// ---- What a core that this CPU cannot run does: a signal ----

constexpr std::array crashSignals{SIGILL, SIGSEGV, SIGBUS, SIGFPE};

thread_local sigjmp_buf* wayBack = nullptr;  // for the thread that tries
std::array<struct sigaction, crashSignals.size()> before;

void jumpBack(int signal) {
    if (wayBack != nullptr)
        siglongjmp(*wayBack, signal);
    // In another thread: it repeats what it did, under its former handler.
    const auto index =
        static_cast<std::size_t>(std::ranges::find(crashSignals, signal) - crashSignals.begin());
    ::sigaction(signal, &before[index], nullptr);
}

// A handler in place of a child process: forking a program that holds a model costs milliseconds, and this
// nothing. Loading happens once (a static), so that nobody else tries meanwhile.
class CrashHandlers {
  public:
    CrashHandlers() {
        struct sigaction ours = {};
        ours.sa_handler = jumpBack;
        for (std::size_t index = 0; index < crashSignals.size(); ++index)
            ::sigaction(crashSignals[index], &ours, &before[index]);
    }
    ~CrashHandlers() {
        for (std::size_t index = 0; index < crashSignals.size(); ++index)
            ::sigaction(crashSignals[index], &before[index], nullptr);
    }
    CrashHandlers(const CrashHandlers&) = delete;
    CrashHandlers& operator=(const CrashHandlers&) = delete;
};

/// The signal that ended `call`, or 0. Nothing in `call` may need a destructor.
[[gnu::noinline]] int signalOf(const std::function<void()>& call) {
    const unsigned arithmetic = _mm_getcsr();  // which Linux resets for a handler
    sigjmp_buf here;
    if (const int signal = sigsetjmp(here, 1); signal != 0) {
        _mm_setcsr(arithmetic);
        wayBack = nullptr;
        return signal;
    }
    wayBack = &here;
    call();
    wayBack = nullptr;
    return 0;
}

// ---- Products ----

struct Trial {
    bool transA, transB;
    int m, n, k;
    int beta;
};

// Neither sizes nor leading dimensions are multiples of a vector. Of each kind one product that ends within
// every block of a kernel, a row and a column alone (which libraries compute as matrix times vector), one
// that is deeper than a block, and so large that none of OpenBLAS's kernels for small matrices takes it (a
// million steps).
constexpr std::array singleTrials{
    Trial{.transA = false, .transB = true, .m = 13, .n = 37, .k = 29, .beta = 0},
    Trial{.transA = false, .transB = true, .m = 1, .n = 37, .k = 67, .beta = 1},
    Trial{.transA = false, .transB = true, .m = 37, .n = 1, .k = 67, .beta = 0},
    Trial{.transA = false, .transB = true, .m = 45, .n = 45, .k = 515, .beta = 1},
    Trial{.transA = false, .transB = false, .m = 13, .n = 37, .k = 29, .beta = 1},
    Trial{.transA = false, .transB = false, .m = 1, .n = 37, .k = 67, .beta = 0},
    Trial{.transA = false, .transB = false, .m = 37, .n = 1, .k = 67, .beta = 1},
    Trial{.transA = false, .transB = false, .m = 45, .n = 45, .k = 515, .beta = 0},
    Trial{.transA = true, .transB = false, .m = 13, .n = 37, .k = 29, .beta = 0},
    Trial{.transA = true, .transB = false, .m = 37, .n = 61, .k = 67, .beta = 1},
};

constexpr std::array doubleTrials{
    Trial{.transA = false, .transB = true, .m = 13, .n = 37, .k = 29, .beta = 0},
    Trial{.transA = false, .transB = true, .m = 37, .n = 61, .k = 67, .beta = 1},
    Trial{.transA = false, .transB = false, .m = 13, .n = 37, .k = 29, .beta = 0},
};

/// Integers, the same in every process.
class Integers {
  public:
    /// Returns a number ≥ -2^(bits - 1), < 2^(bits - 1).
    int next(int bits) {
        constexpr std::uint64_t factor = 6364136223846793005U;
        constexpr int stateBits = 64;
        m_state = m_state * factor + 1;
        return static_cast<int>(m_state >> (stateBits - bits)) - (1 << (bits - 1));
    }

  private:
    std::uint64_t m_state = 1;
};

// Each row is followed by elements that no product may read or write.
constexpr int spare = 3;

constexpr std::size_t elementsOf(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns + spare);
}

// The sums stay below 2^24, where f32 holds every integer; factors of 11 bits and a sign show a product that
// rounds its factors to fewer.
constexpr int leftBits = 12;
constexpr int rightBits = 4;
constexpr int addedBits = 11;

/// The factors of all trials: each takes its matrices from the front. Numbers of their own for each trial
/// would take longer than the products, as would fresh pages.
template <typename Real>
struct TrialFactors {
    std::vector<Real> a, b;

    explicit TrialFactors(std::span<const Trial> trials) {
        std::size_t left = 0;
        std::size_t right = 0;
        for (const Trial& trial : trials) {
            left = std::max(left, trial.transA ? elementsOf(trial.k, trial.m) : elementsOf(trial.m, trial.k));
            right =
                std::max(right, trial.transB ? elementsOf(trial.n, trial.k) : elementsOf(trial.k, trial.n));
        }
        Integers integers;
        a.resize(left);
        for (Real& value : a)
            value = static_cast<Real>(integers.next(leftBits));
        b.resize(right);
        for (Real& value : b)
            value = static_cast<Real>(integers.next(rightBits));
    }
};

/// What a product is added to, or NaN where that is not to be read.
template <typename Real>
std::vector<Real> makeAddend(const Trial& trial) {
    std::vector<Real> c(elementsOf(trial.m, trial.n));
    Integers integers;
    for (std::size_t index = 0; index < c.size(); ++index) {
        const bool isSpare =
            index % static_cast<std::size_t>(trial.n + spare) >= static_cast<std::size_t>(trial.n);
        c[index] = trial.beta == 0 && !isSpare ? std::numeric_limits<Real>::quiet_NaN()
                                               : static_cast<Real>(integers.next(addedBits));
    }
    return c;
}

std::string describe(const Trial& trial, std::string_view precision) {
    return fmt::format("{}·{} of {}x{}x{} in {}", trial.transA ? "aᵀ" : "a", trial.transB ? "bᵀ" : "b",
                       trial.m, trial.k, trial.n, precision);
}

template <typename Real, typename Product>
std::string whyWrong(const Trial& trial, const TrialFactors<Real>& factors, Product product, Product own,
                     std::string_view precision) {
    std::vector<Real> c = makeAddend<Real>(trial);
    std::vector<Real> expected = c;
    const auto multiply = [&](Product by, std::vector<Real>& to) {
        by(CblasRowMajor, trial.transA ? CblasTrans : CblasNoTrans, trial.transB ? CblasTrans : CblasNoTrans,
           trial.m, trial.n, trial.k, Real(1), factors.a.data(), (trial.transA ? trial.m : trial.k) + spare,
           factors.b.data(), (trial.transB ? trial.k : trial.n) + spare, static_cast<Real>(trial.beta),
           to.data(), trial.n + spare);
    };
    if (const int signal = signalOf([&] { multiply(product, c); }); signal != 0)
        return fmt::format("it crashes ({}) in {}", ::strsignal(signal), describe(trial, precision));
    multiply(own, expected);
    // A NaN differs from everything.
    const auto same =
        std::inner_product(c.begin(), c.end(), expected.begin(), 0L, std::plus<>(), std::equal_to<>());
    const auto wrong = static_cast<long>(c.size()) - same;
    return wrong == 0 ? std::string()
                      : fmt::format("it computes {} wrong ({} of {} values)", describe(trial, precision),
                                    wrong, trial.m * trial.n);
}

}  // namespace

std::string whyWrong(const BlasProducts& products) {
    const CrashHandlers handlers;
    const TrialFactors<float> singles(singleTrials);
    for (const Trial& trial : singleTrials)
        if (std::string why = whyWrong<float>(trial, singles, products.sgemm, &plainSgemm, "f32");
            !why.empty())
            return why;
    const TrialFactors<double> doubles(doubleTrials);
    for (const Trial& trial : doubleTrials)
        if (std::string why = whyWrong<double>(trial, doubles, products.dgemm, &plainDgemm, "f64");
            !why.empty())
            return why;
    return {};
}

}  // namespace meshreel
