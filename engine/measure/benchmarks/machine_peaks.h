// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Seconds of one piece of work, over several rounds after an uncounted one.
struct MeasuredTime {
    double median = 0;
    double fastest = 0;
    double slowest = 0;
    int rounds = 0;
    /// The peak rates of products that were measured before, between and after the rounds, if requested: a
    /// shared machine's peak moves by more than what a row is to show.
    std::vector<double> peaks = {};
    std::vector<double> seconds = {};  ///< of every round

    /// Part of the median.
    [[nodiscard]] double spread() const { return (slowest - fastest) / median; }

    [[nodiscard]] double meanPeak() const;

    /// Returns the difference between the largest and the least peak, relative to their mean.
    [[nodiscard]] double peakSpread() const;

    /// Returns the peak moved so much that the row's ratio to it says nothing.
    [[nodiscard]] bool isRestless() const { return peakSpread() > mostPeakSpread; }

    static constexpr double mostPeakSpread = 0.15;
};

/// One measured figure and what it is compared with.
struct BenchmarkRow {
    std::string name;  ///< "linear.1.3b.ffn_up.7800"
    double value = 0;
    std::string unit;   ///< "TFLOP/s", "GB/s", "s"
    double ratio = 1;   ///< relative to the quantity that `of` names, measured in the same run
    std::string of;     ///< "peak.matmul.bf16"
    double spread = 0;  ///< MeasuredTime::spread()
    int rounds = 0;
    std::vector<std::pair<std::string, double>> details = {};  ///< further figures by name
    std::vector<double> seconds = {};  ///< of every round, to be judged beside those of another time
};

/// Seeded numbers, uniform with deviation 1 times `deviation`, of dtype F32 or BF16.
Tensor randomRows(const Execution& execution, const Shape& shape, DType type, float deviation = 1.0F,
                  std::uint64_t seed = 0);

/// How often something is measured: `least` times, then on until it was `most` times or `seconds` have passed
/// since the first measured round began.
struct Rounds {
    int least = 1;
    int most = 1;
    double seconds = 0;
};

/// Runs `work` once for warming up, then as often as `rounds` says. Calls `beside`, when there is one,
/// before, between (once) and after the measured rounds; its time does not count. Throws Error{Cancelled}
/// between rounds.
MeasuredTime measureRounds(const StopToken& stop, const Rounds& rounds, const std::function<void()>& work,
                           const std::function<void()>& beside = {});

/// The best rates that this machine sustained in this run, per second.
struct MachinePeaks {
    double bandwidth = 0;  ///< bytes

    /// Operations, a multiply-add being two.
    [[nodiscard]] double matmul(Arithmetic arithmetic) const {
        return m_matmul[static_cast<std::size_t>(arithmetic)];
    }
    void setMatmul(Arithmetic arithmetic, double operations) {
        m_matmul[static_cast<std::size_t>(arithmetic)] = operations;
    }

  private:
    std::array<double, 3> m_matmul{};
};

struct PeakEffort {
    double shapeSeconds =
        0.3;  ///< that every shape is repeated for, three times at least; 0: a small shape once
    std::size_t bandwidthBytes = std::size_t{1} << 29;  ///< for the triad's three arrays together
};

struct PeakRate {
    double perSecond = 0;
    MeasuredTime time = {};
    std::vector<std::pair<std::string, double>> details = {};
};

/// "peak.matmul.bf16".
std::string matmulPeakName(Arithmetic arithmetic);

/// Returns the median rate of packed products of all workers, for the fastest shape (named in the details: m,
/// n, k).
PeakRate matmulPeak(const Execution& execution, Arithmetic arithmetic, const PeakEffort& effort);

/// Returns the rate of the shape that was fastest in `peak` now, for `seconds`.
double matmulRateNow(const Execution& execution, Arithmetic arithmetic, const PeakRate& peak, double seconds);

/// STREAM's triad a = b + s·c: 12 bytes an element of f32, as STREAM counts.
PeakRate bandwidthPeak(const Execution& execution, const PeakEffort& effort);

/// exponential() of numbers in the first cache.
PeakRate exponentialPeak(const Execution& execution, const PeakEffort& effort);

}  // namespace meshreel
