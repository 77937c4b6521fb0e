// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/runs/records/data_table.h"
#include "engine/timing/verdict.h"

// Files of measurements: what `meshreel bench --json` prints, and histories, which hold such an object with
// its date in every line.

namespace meshreel {

/// The seconds of a row's rounds.
inline constexpr const char* roundSecondsKey = "round_seconds";

/// A measurement as a file keeps it.
struct KeptBenchmark {
    std::string date = {};       ///< UTC, "2026-11-30T16:05:00Z"; empty where the file does not tell
    std::string version = {};    ///< of the engine
    std::string commit = {};     ///< its first figures
    std::string cpu = {};        ///< of the machine
    std::string processor = {};  ///< what was measured: the GPU, or the CPU
    bool isComplete = true;      ///< false: it was cancelled or failed before its last row
    std::vector<BenchmarkRow> rows = {};
    std::string text = {};  ///< all of it, as `meshreel bench --json` prints it

    /// Returns whether the program that asks measured it, so that its rows can be repeated.
    [[nodiscard]] bool isOfThisBuild() const;
};

/// Throws Error{Input} about a file of measurements, with what to give instead.
[[noreturn]] void refuseBenchmarkFile(Sentence problem, const std::string& where);

/// Reads the measurements of a file that somebody chose, the earliest first; at least one. Throws
/// Error{Input}, for a line that is none, too.
std::vector<nlohmann::json> readBenchmarkFile(const std::filesystem::path& file);
std::vector<KeptBenchmark> readBenchmarks(const std::filesystem::path& file);

/// Returns an object of benchmarkJson() that says so: {"complete": false, ...}.
nlohmann::ordered_json incompleteBenchmark(nlohmann::ordered_json benchmark);
/// Returns an object of benchmarkJson() with the date of now.
nlohmann::ordered_json datedBenchmark(const nlohmann::ordered_json& benchmark);
/// Returns such an object as it will be read again.
KeptBenchmark toKept(const nlohmann::ordered_json& benchmark);

/// Adds an object of benchmarkJson() with the date as one line to a file, made when there is none, which is
/// not read. Throws as appendToFile() does.
void appendToHistory(const std::filesystem::path& file, const nlohmann::ordered_json& benchmark);
/// Adds a dated one as a line to a history that the Studio keeps; in the place of the last line, if that has
/// the date of `replaced`. Of a history of more than 1 MiB the last 200 lines stay. A lock beside the file
/// (FILE.lock) holds off other programs that do the same. Throws Error{Input} or Error{Resources} when it
/// cannot be written, or is locked for long.
void keepInHistory(const std::filesystem::path& file, const nlohmann::ordered_json& dated,
                   std::string_view replaced = {});

/// Returns where the Studio keeps the measurements of a group: <userDataFolder()>/benchmarks/GROUP.jsonl.
/// Machines that share the folder have lines beside each other.
std::filesystem::path benchmarkHistory(std::string_view group);
/// Returns those of them that are of this machine's CPU, or of a GPU beside it; none where nothing was kept.
/// Lines that cannot be read are left out and added to `unreadable`. Throws Error{Input} when the file cannot
/// be read.
std::vector<KeptBenchmark> keptBenchmarksHere(const std::filesystem::path& history,
                                              int* unreadable = nullptr);

/// Seconds of the rounds of rows, by their names.
using SecondsByRow = std::map<std::string, std::vector<double>>;

/// Returns those of the rows that tell them.
SecondsByRow roundsOf(const KeptBenchmark& benchmark);

/// Reads the last measurement of a file, to be compared with. Throws Error{Input} for other files, for
/// another CPU than this, and where no row tells the seconds of its rounds.
KeptBenchmark readBaseline(const std::filesystem::path& file);
/// roundsOf() it.
SecondsByRow readRounds(const std::filesystem::path& file);

/// Returns what judge() says of a row beside the one of its name; nothing where there is none.
std::optional<Verdict> judgeRow(const SecondsByRow& before, const BenchmarkRow& row);

/// Returns row, value, unit, ratio, of, median_seconds, spread, rounds; then before_seconds, the median of
/// what it is compared with, and the verdict.
DataTable benchmarkTable(std::span<const BenchmarkRow> rows, const SecondsByRow& before);

}  // namespace meshreel
