// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/benchmarks/benchmark_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

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
    Json rows = Json::array();
    for (const BenchmarkRow& row : run.rows())
        rows.push_back(rowJson(row));
    return {{"machine",
             {{"cpu", cpuModelName()},
              {"isa", isaName()},
              {"cpus", availableCpus()},
              {"workers", run.execution().workers.size()},
              {"matmul", matmulLibrary()},
              {"matmul_bf16", linearCandidate(Arithmetic::BF16).kernel.name},
              {"matmul_int8", linearCandidate(Arithmetic::Int8).kernel.name},
              {"version", versionNumber()},
              {"commit", versionCommit()}}},
            {"rows", std::move(rows)}};
}

void appendToHistory(const std::filesystem::path& file, const BenchmarkRun& run) {
    Json entry{{"date", utcNow()}};
    entry.update(benchmarkJson(run));
    const std::string before = std::filesystem::exists(file) ? readFile(file) : std::string();
    writeFileAtomically(file, before + entry.dump() + "\n");
}

}  // namespace meshreel
