// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_history.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <ios>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using KeptJson = nlohmann::json;

constexpr const char* dateKey = "date";
constexpr const char* completeKey = "complete";

// A history that the Studio keeps. Below the first size nothing is counted; of more than the second, half of
// what readFile() takes, only the end is read.
constexpr std::size_t mostMeasurements = 200;
constexpr std::uintmax_t uncountedBytes = std::uintmax_t{1} << 20;
constexpr std::uintmax_t mostHistoryBytes = std::uintmax_t{8} << 20;

/// Of a row that are no details.
constexpr std::array<std::string_view, 8> rowKeys{"name", "value",  "unit",   "ratio",
                                                  "of",   "spread", "rounds", roundSecondsKey};

/// Those that are not empty.
std::vector<std::string_view> historyLines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.empty())
            lines.push_back(line);
    }
    return lines;
}

std::vector<KeptJson> measurementsIn(const std::string& text, const std::string& where) {
    if (const KeptJson whole = KeptJson::parse(text, nullptr, false); whole.is_object())
        return {whole};
    std::vector<KeptJson> runs;
    for (const std::string_view line : historyLines(text)) {
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

/// Empty where it is no text.
std::string keptText(const KeptJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int keptCount(const KeptJson& json, const char* key) {
    constexpr double mostCounted = 1e9;
    return static_cast<int>(std::clamp(keptNumber(json, key, 0), 0.0, mostCounted));
}

BenchmarkRow keptRow(const KeptJson& json) {
    BenchmarkRow row{.name = json.at("name"),
                     .value = keptNumber(json, "value", 0),
                     .unit = keptText(json, "unit"),
                     .ratio = keptNumber(json, "ratio", 1),
                     .of = keptText(json, "of"),
                     .spread = keptNumber(json, "spread", 0),
                     .rounds = keptCount(json, "rounds")};
    for (const auto& [name, value] : json.items())
        if (value.is_number() && std::ranges::find(rowKeys, name) == rowKeys.end())
            row.details.emplace_back(name, value.get<double>());
    if (json.contains(roundSecondsKey))
        row.seconds = json.at(roundSecondsKey).get<std::vector<double>>();
    if (std::ranges::any_of(row.seconds, [](double seconds) { return seconds <= 0; }))
        row.seconds.clear();  // no clock measured these
    return row;
}

KeptBenchmark keptBenchmark(const KeptJson& json) {
    const KeptJson& machine = json.at("machine");
    KeptBenchmark kept{.date = keptText(json, dateKey),
                       .version = keptText(machine, "version"),
                       .commit = keptText(machine, "commit"),
                       .cpu = machine.at("cpu")};
    if (const auto complete = json.find(completeKey); complete != json.end() && complete->is_boolean())
        kept.isComplete = complete->get<bool>();
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

/// The text of a history, or its last lines.
std::string historyText(const fs::path& file) {
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(file, failure);
    if (failure || size <= mostHistoryBytes)
        return readFile(file);
    std::string text(static_cast<std::size_t>(mostHistoryBytes), '\0');
    std::ifstream stream(file, std::ios::binary);
    if (!stream.seekg(static_cast<std::streamoff>(size - mostHistoryBytes)) ||
        !stream.read(text.data(), static_cast<std::streamsize>(text.size())))
        throw Error(ErrorKind::Input, sentence("The kept measurements cannot be read"), withTilde(file),
                    sentence("Remove the file: the next measurement begins another"));
    return text.substr(text.find('\n') + 1);
}

/// The last lines of a text that ends with a line.
std::string newestLines(const std::string& text) {
    std::size_t begin = text.size();
    for (std::size_t lines = 0; begin > 1 && lines < mostMeasurements; ++lines) {
        const std::size_t newline = text.rfind('\n', begin - 2);
        begin = newline == std::string::npos ? 0 : newline + 1;
    }
    return text.substr(begin);
}

/// Without the last line, if it has this date.
void removeLast(std::string& text, std::string_view date) {
    const std::size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos)
        return;
    const std::size_t newline = text.rfind('\n', end);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    const KeptJson last = KeptJson::parse(text.substr(begin), nullptr, false);
    if (last.is_object() && keptText(last, dateKey) == date)
        text.resize(begin);
}

/// Whether who wrote last was killed within a line.
bool endsWithinLine(const fs::path& file) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure))
        return false;
    char last = '\n';
    std::ifstream stream(file, std::ios::binary);
    if (stream.seekg(-1, std::ios::end))
        stream.get(last);
    return last != '\n';
}

void appendLine(const fs::path& file, const std::string& line) {
    appendToFile(file, endsWithinLine(file) ? "\n" + line : line);
}

/// Holds off other programs that change the history; reading needs no lock.
FileLock lockHistory(const fs::path& file) {
    constexpr std::chrono::seconds patience{10};
    std::optional<FileLock> lock =
        FileLock::take(openPlainFile(file.string() + ".lock", O_RDWR | O_CREAT), patience);
    if (!lock)
        throw Error(ErrorKind::Input,
                    sentence("Another program is writing the kept measurements, and does not end"),
                    withTilde(file), sentence("Wait until it is done, or end it"));
    return *std::move(lock);
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

nlohmann::ordered_json incompleteBenchmark(nlohmann::ordered_json benchmark) {
    benchmark[completeKey] = false;
    return benchmark;
}

nlohmann::ordered_json datedBenchmark(const nlohmann::ordered_json& benchmark) {
    nlohmann::ordered_json dated{{dateKey, fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
    dated.update(benchmark);
    return dated;
}

void appendToHistory(const std::filesystem::path& file, const nlohmann::ordered_json& benchmark) {
    appendLine(file, datedBenchmark(benchmark).dump() + "\n");
}

void keepInHistory(const std::filesystem::path& file, const nlohmann::ordered_json& dated,
                   std::string_view replaced) {
    const std::string line = dated.dump() + "\n";
    const FileLock lock = lockHistory(file);
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(file, missing);
    if (missing || (replaced.empty() && size <= uncountedBytes))
        return appendLine(file, line);
    std::string before = historyText(file);
    if (!replaced.empty())
        removeLast(before, replaced);
    if (!before.empty() && before.back() != '\n')
        before += '\n';
    writeFileAtomically(file, newestLines(before + line));
}

std::filesystem::path benchmarkHistory(std::string_view group) {
    return userDataFolder() / "benchmarks" / fmt::format("{}.jsonl", group);
}

std::vector<KeptBenchmark> keptBenchmarksHere(const std::filesystem::path& history, int* unreadable) {
    if (!std::filesystem::exists(history))
        return {};
    std::vector<KeptBenchmark> kept;
    const std::string text = historyText(history);
    for (const std::string_view line : historyLines(text)) {
        try {
            KeptBenchmark one = keptBenchmark(KeptJson::parse(line));
            if (one.cpu == cpuModelName())
                kept.push_back(std::move(one));
        } catch (const KeptJson::exception&) {
            if (unreadable != nullptr)
                ++*unreadable;
        }
    }
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
