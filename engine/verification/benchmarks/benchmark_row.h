// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace meshreel {

constexpr double tera = 1e12;
constexpr double giga = 1e9;

/// Seconds of one piece of work, over several rounds behind one that is not counted.
struct MeasuredTime {
    double median = 0;
    double fastest = 0;
    double slowest = 0;
    int rounds = 0;
};

/// One measured figure and what it is compared with.
struct BenchmarkRow {
    std::string name;  ///< "linear.1.3b.ffn_up.7800"
    double value = 0;
    std::string unit;   ///< "TFLOP/s", "GB/s", "s"
    double ratio = 1;   ///< of what `of` names; measured in the same run
    std::string of;     ///< "peak.matmul.bf16"
    double spread = 0;  ///< (slowest - fastest) / median
    int rounds = 0;
    std::vector<std::pair<std::string, double>> details = {};  ///< further figures by name
};

}  // namespace meshreel
