// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/benchmarks/benchmark_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <system_error>

#include "engine/base/atomic_file.h"
#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/matmul.h"

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

Json rowJson(const BenchmarkRow& row) {
    Json json{{"name", row.name}, {"value", row.value},   {"unit", row.unit},    {"ratio", row.ratio},
              {"of", row.of},     {"spread", row.spread}, {"rounds", row.rounds}};
    for (const auto& [name, value] : row.details)
        json[name] = value;
    return json;
}

std::string utcNow() {
    return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

Json benchmarkJson(const BenchmarkRun& run) {
    return benchmarkJson(run.rows(), run.execution().workers.size());
}

Json benchmarkJson(std::span<const BenchmarkRow> rows, int workers) {
    Json list = Json::array();
    for (const BenchmarkRow& row : rows)
        list.push_back(rowJson(row));
    return {{"machine",
             {{"cpu", cpuModelName()},
              {"isa", isaName()},
              {"cpus", availableCpus()},
              {"workers", workers},
              {"matmul", matmulLibrary()},
              {"matmul_bf16", linearCandidate(Arithmetic::BF16).kernel.name},
              {"matmul_int8", linearCandidate(Arithmetic::Int8).kernel.name},
              {"version", versionNumber()},
              {"commit", versionCommit()}}},
            {"rows", std::move(list)}};
}

void appendToHistory(const std::filesystem::path& file, const Json& benchmark) {
    Json entry{{"date", utcNow()}};
    entry.update(benchmark);
    const std::string before = std::filesystem::exists(file) ? readFile(file) : std::string();
    writeFileAtomically(file, before + entry.dump() + "\n");
}

std::string benchmarkHeader() {
    return fmt::format("{:<34} {:>10} {:<8} {:>7}    {:<22} {:>7} {:>4}", "row", "value", "unit", "ratio",
                       "of", "spread", "runs");
}

std::string benchmarkLine(const BenchmarkRow& row) {
    constexpr double percent = 100;
    return fmt::format("{:<34} {:>10.4g} {:<8} {:>7.3f} of {:<22} {:>5.1f} % {:>4}", row.name, row.value,
                       row.unit, row.ratio, row.of, percent * row.spread, row.rounds);
}

}  // namespace meshreel
