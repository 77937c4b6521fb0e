// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/tile_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace meshreel {
namespace {

constexpr double milliseconds = 1e3;
constexpr std::size_t longestDetail = 200;

std::string_view nameOfMode(TileGridMode mode) {
    return std::ranges::find(tileGridModes(), mode, &TileGridRow::mode)->name;
}

void sortByMean(std::vector<TileTrial>& trials) {
    std::ranges::stable_sort(trials, [](const TileTrial& a, const TileTrial& b) {
        const bool aRan = a.status == TrialStatus::Ok;
        const bool bRan = b.status == TrialStatus::Ok;
        return aRan && bRan ? a.mean() < b.mean() : aRan && !bRan;
    });
}

}  // namespace

std::string tileSearchHeader(const std::string& label, const LocalSequence& sequence, TileGridMode mode,
                             std::size_t choices, const TileTiming& timing) {
    return fmt::format("[tile-search] {}: q_seq={} kv_seq={} mode={} -> {} configs (iters={})\n", label,
                       sequence.queries, sequence.keys, nameOfMode(mode), choices, timing.iterations);
}

std::string tileTrialLine(std::size_t index, std::size_t count, const TileTrial& trial) {
    const std::string name =
        fmt::format("  [{}/{}] bq={} bkv={}", index + 1, count, trial.blocks.blockQ, trial.blocks.blockKv);
    if (trial.status != TrialStatus::Ok)
        return fmt::format("{}: {}\n", name, nameOf(trial.status));
    return fmt::format("{}: {:.2f}ms  (compile {:.0f}s, excluded)\n", name, trial.mean() * milliseconds,
                       trial.firstSeconds);
}

std::string tileSearchResults(const LocalSequence& sequence, TileGridMode mode,
                              std::vector<TileTrial> trials) {
    sortByMean(trials);
    std::string text = fmt::format("[tile-search] results (q_seq={}, kv_seq={}, mode={}):\n",
                                   sequence.queries, sequence.keys, nameOfMode(mode));
    for (const TileTrial& trial : trials) {
        text += fmt::format("    bq={:>6} bkv={:>5} cmp={:>5}  ", trial.blocks.blockQ, trial.blocks.blockKv,
                            trial.blocks.blockKvCompute);
        text += trial.status == TrialStatus::Ok
                    ? fmt::format("{:7.2f} ms  (±{:.2f})\n", trial.mean() * milliseconds,
                                  trial.deviation() * milliseconds)
                    : fmt::format("{}\n", nameOf(trial.status));
    }
    return text;
}

std::string tileWinnerLine(const TileTrial* winner) {
    if (winner == nullptr)
        return "[tile-search] no config succeeded (all OOM/error)\n";
    return fmt::format("[tile-search] WINNER: bq={} bkv={} bkv_compute={} -> {:.2f} ms\n",
                       winner->blocks.blockQ, winner->blocks.blockKv, winner->blocks.blockKvCompute,
                       winner->mean() * milliseconds);
}

DataTable tileTable(std::vector<TileTrial> trials) {
    sortByMean(trials);
    DataTable table{
        .columns = {"bq", "bkv", "bkv_compute", "status", "mean_ms", "std_ms", "compile_ms", "detail"},
        .rows = {}};
    for (const TileTrial& trial : trials) {
        const bool ran = trial.status == TrialStatus::Ok;
        const auto measured = [&](double seconds) {
            return ran ? DataCell(seconds * milliseconds) : DataCell();
        };
        table.rows.push_back({trial.blocks.blockQ, trial.blocks.blockKv, trial.blocks.blockKvCompute,
                              std::string(nameOf(trial.status)), measured(ran ? trial.mean() : 0),
                              measured(ran ? trial.deviation() : 0), measured(trial.firstSeconds),
                              trial.detail.text().substr(0, longestDetail)});
    }
    return table;
}

}  // namespace meshreel
