// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

using KeptJson = nlohmann::json;

constexpr const char* dateKey = "date";

/// Of a row that are no details.
constexpr std::array<std::string_view, 8> rowKeys{"name", "value",  "unit",   "ratio",
                                                  "of",   "spread", "rounds", roundSecondsKey};

std::vector<KeptJson> measurementsIn(const std::string& text, const std::string& where) {
    if (const KeptJson whole = KeptJson::parse(text, nullptr, false); whole.is_object())
        return {whole};
    std::vector<KeptJson> runs;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.empty())
            continue;
        runs.push_back(KeptJson::parse(line, nullptr, false));
        if (!runs.back().is_object())
            refuseBenchmarkFile(sentence("A line of this file is no measurement of meshreel bench"), where);
    }
    if (runs.empty())
        refuseBenchmarkFile(sentence("This file holds no measurement"), where);
    return runs;
}

/// What is no number, such as an infinite one, is `otherwise`.
double keptNumber(const KeptJson& row, const char* key, double otherwise) {
    const auto found = row.find(key);
    return found != row.end() && found->is_number() ? found->get<double>() : otherwise;
}

BenchmarkRow keptRow(const KeptJson& json) {
    BenchmarkRow row{.name = json.at("name"),
                     .value = keptNumber(json, "value", 0),
                     .unit = json.value("unit", std::string()),
                     .ratio = keptNumber(json, "ratio", 1),
                     .of = json.value("of", std::string()),
                     .spread = keptNumber(json, "spread", 0),
                     .rounds = static_cast<int>(keptNumber(json, "rounds", 0))};
    for (const auto& [name, value] : json.items())
        if (value.is_number() && std::ranges::find(rowKeys, name) == rowKeys.end())
            row.details.emplace_back(name, value.get<double>());
    if (json.contains(roundSecondsKey))
        row.seconds = json.at(roundSecondsKey).get<std::vector<double>>();
    return row;
}

KeptBenchmark keptBenchmark(const KeptJson& json) {
    const KeptJson& machine = json.at("machine");
    KeptBenchmark kept{.date = json.value(dateKey, std::string()),
                       .version = machine.value("version", std::string()),
                       .commit = machine.value("commit", std::string()),
                       .cpu = machine.at("cpu")};
    kept.processor = machine.contains("gpu") ? machine.at("gpu").at("name").get<std::string>() : kept.cpu;
    for (const KeptJson& row : json.at("rows"))
        kept.rows.push_back(keptRow(row));
    kept.text = json.dump(2);
    return kept;
}

/// Throws Error{Input} for what is none.
KeptBenchmark requireKept(const KeptJson& json, const std::filesystem::path& file) {
    try {
        return keptBenchmark(json);
    } catch (const KeptJson::exception&) {
        refuseBenchmarkFile(sentence("This is not a measurement of meshreel bench"), file.string());
    }
}

}  // namespace

void refuseBenchmarkFile(Sentence problem, const std::string& where) {
    throw Error(
        ErrorKind::Input, std::move(problem), where,
        sentence("Give what meshreel bench --json printed, or a file that meshreel bench --append wrote"));
}

std::vector<nlohmann::json> readBenchmarkFile(const std::filesystem::path& file) {
    return measurementsIn(readFile(file), file.string());
}

std::vector<KeptBenchmark> readBenchmarks(const std::filesystem::path& file) {
    std::vector<KeptBenchmark> benchmarks;
    for (const KeptJson& json : readBenchmarkFile(file))
        benchmarks.push_back(requireKept(json, file));
    return benchmarks;
}

bool KeptBenchmark::isOfThisBuild() const {
    return version == versionNumber() && commit == versionCommit();
}

KeptBenchmark toKept(const nlohmann::ordered_json& benchmark) {
    const std::string text = benchmark.dump(2);
    KeptBenchmark kept = keptBenchmark(KeptJson::parse(text));
    kept.text = text;
    return kept;
}

nlohmann::ordered_json datedBenchmark(const nlohmann::ordered_json& benchmark) {
    nlohmann::ordered_json dated{{dateKey, fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
    dated.update(benchmark);
    return dated;
}

void appendToHistory(const std::filesystem::path& file, const nlohmann::ordered_json& benchmark) {
    keepInHistory(file, datedBenchmark(benchmark));
}

void keepInHistory(const std::filesystem::path& file, const nlohmann::ordered_json& dated,
                   std::string_view replaced) {
    std::string before = std::filesystem::exists(file) ? readFile(file) : std::string();
    if (!replaced.empty() && before.size() > 1) {
        const std::size_t end = before.find_last_not_of('\n');
        const std::size_t newline = end == std::string::npos ? end : before.rfind('\n', end);
        const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
        const KeptJson last = KeptJson::parse(before.substr(begin), nullptr, false);
        if (last.is_object() && last.value(dateKey, std::string()) == replaced)
            before.resize(begin);
    }
    writeFileAtomically(file, before + dated.dump() + "\n");
}

std::filesystem::path benchmarkHistory(std::string_view group) {
    return userDataFolder() / "benchmarks" / fmt::format("{}.jsonl", group);
}

std::vector<KeptBenchmark> keptBenchmarksHere(const std::filesystem::path& history) {
    if (!std::filesystem::exists(history))
        return {};
    std::vector<KeptBenchmark> kept = readBenchmarks(history);
    std::erase_if(kept, [](const KeptBenchmark& one) { return one.cpu != cpuModelName(); });
    return kept;
}

SecondsByRow roundsOf(const KeptBenchmark& benchmark) {
    SecondsByRow seconds;
    for (const BenchmarkRow& row : benchmark.rows)
        if (!row.seconds.empty())
            seconds[row.name] = row.seconds;
    return seconds;
}

KeptBenchmark readBaseline(const std::filesystem::path& file) {
    KeptBenchmark last = requireKept(readBenchmarkFile(file).back(), file);
    if (last.cpu != cpuModelName())
        throw Error(ErrorKind::Input, sentence("These times are of another CPU: {}", last.cpu), file.string(),
                    sentence("Measure on this machine first"));
    if (roundsOf(last).empty())
        throw Error(ErrorKind::Input, sentence("No row of this measurement tells the seconds of its rounds"),
                    file.string(), sentence("Measure with this version first"));
    return last;
}

SecondsByRow readRounds(const std::filesystem::path& file) {
    return roundsOf(readBaseline(file));
}

std::optional<Verdict> judgeRow(const SecondsByRow& before, const BenchmarkRow& row) {
    const auto found = before.find(row.name);
    return found == before.end() || row.seconds.empty() ? std::nullopt
                                                        : std::optional(judge(found->second, row.seconds));
}

DataTable benchmarkTable(std::span<const BenchmarkRow> rows, const SecondsByRow& before) {
    DataTable table{.columns = {"row", "value", "unit", "ratio", "of", "median_seconds", "spread", "rounds",
                                "before_seconds", "verdict"},
                    .rows = {}};
    const auto median = [](const std::vector<double>& seconds) {
        return seconds.empty() ? DataCell() : DataCell(summarizeTimes(seconds).median);
    };
    for (const BenchmarkRow& row : rows) {
        const auto earlier = before.find(row.name);
        const std::optional<Verdict> verdict = judgeRow(before, row);
        table.rows.push_back({row.name, row.value, row.unit, row.ratio, row.of, median(row.seconds),
                              row.spread, std::int64_t{row.rounds},
                              earlier == before.end() ? DataCell() : median(earlier->second),
                              verdict ? DataCell(verdictSentence(*verdict).text()) : DataCell()});
    }
    return table;
}

}  // namespace meshreel
