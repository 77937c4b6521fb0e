// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/verification/benchmarks/benchmark_run.h"

namespace meshreel {

/// {"machine": {cpu, isa, cpus, workers, matmul, version, commit}, "rows": [{name, value, unit, ratio, of,
/// spread, rounds, ...details}]}.
nlohmann::ordered_json benchmarkJson(const BenchmarkRun& run);

/// Adds the same with the date as one line to a file, which is made when there is none. Throws Error{Input}
/// or Error{Resources} when it cannot be written.
void appendToHistory(const std::filesystem::path& file, const BenchmarkRun& run);

}  // namespace meshreel
