// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Rows that belong together: `meshreel bench NAME`.
struct BenchmarkGroup {
    std::string_view name;
    std::string_view help;
    bool inAll;  ///< measured by "all", which takes minutes
    void (*measure)(BenchmarkRun& run);
};

std::span<const BenchmarkGroup> benchmarkGroups();

/// The group's rows, or those of every group for "all", as far as they are wanted. Throws Error{Project}
/// naming the groups for another name, and naming the rows for a wanted row that there is not;
/// Error{Cancelled}, and what the engine throws.
void measureGroup(BenchmarkRun& run, std::string_view name);

}  // namespace meshreel
