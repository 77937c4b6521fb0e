// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "engine/verification/benchmarks/benchmark_run.h"

namespace meshreel {

/// {"machine": {cpu, isa, cpus, workers, matmul, version, commit}, "rows": [{name, value, unit, ratio, of,
/// spread, rounds, ...details}]}.
nlohmann::ordered_json benchmarkJson(const BenchmarkRun& run);
/// Of figures that were measured otherwise, with so many workers computing meanwhile.
nlohmann::ordered_json benchmarkJson(std::span<const BenchmarkRow> rows, int workers);

/// Adds such an object with the date as one line to a file, which is made when there is none. Throws
/// Error{Input} or Error{Resources} when it cannot be written.
void appendToHistory(const std::filesystem::path& file, const nlohmann::ordered_json& benchmark);

/// The line of a row under benchmarkHeader(), without an end of line.
std::string benchmarkLine(const BenchmarkRow& row);
std::string benchmarkHeader();

}  // namespace meshreel
