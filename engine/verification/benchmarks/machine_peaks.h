// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/verification/benchmarks/benchmark_row.h"

namespace meshreel {

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
    std::size_t bandwidthBytes = std::size_t{1} << 29;  ///< of the triad's three arrays together
};

struct PeakRate {
    double perSecond = 0;
    MeasuredTime time = {};
    std::vector<std::pair<std::string, double>> details = {};
};

/// "peak.matmul.bf16".
std::string matmulPeakName(Arithmetic arithmetic);

/// The median rate of packed products of all workers, of the shape that is fastest (among the details: m, n,
/// k).
PeakRate matmulPeak(const Execution& execution, Arithmetic arithmetic, const PeakEffort& effort);

/// STREAM's triad a = b + s·c: 12 bytes an element of f32, as STREAM counts.
PeakRate bandwidthPeak(const Execution& execution, const PeakEffort& effort);

/// exponential() of numbers in the first cache.
PeakRate exponentialPeak(const Execution& execution, const PeakEffort& effort);

}  // namespace meshreel
