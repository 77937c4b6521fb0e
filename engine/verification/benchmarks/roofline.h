// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/verification/benchmarks/benchmark_run.h"

namespace meshreel {

/// The roofline picture as SVG: every row that has an arithmetic intensity, under the bandwidth and the
/// matmul peaks of its run. Both axes are logarithmic.
std::string rooflineSvg(const BenchmarkRun& run);

}  // namespace meshreel
