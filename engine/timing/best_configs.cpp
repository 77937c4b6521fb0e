// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/best_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "engine/timing/same_work.h"

namespace meshreel {
namespace {

/// What has to be equal for one configuration to be better than another.
auto questionOf(const RunRecord& run) {
    return std::tie(run.width, run.height, run.frames, run.devices, run.settings.task, run.settings.means);
}

std::vector<const RunRecord*> fastestFirst(std::span<const RunRecord> runs) {
    std::vector<const RunRecord*> order = timedRuns(runs);
    std::ranges::stable_sort(order, [](const RunRecord* a, const RunRecord* b) {
        return std::tuple_cat(questionOf(*a), std::tuple(*a->warmStepSeconds())) <
               std::tuple_cat(questionOf(*b), std::tuple(*b->warmStepSeconds()));
    });
    return order;
}

DataCell traced(const RunRecord& run, double TimingSummary::*seconds) {
    return run.timings && run.timings->hasTrace ? DataCell((*run.timings).*seconds) : DataCell();
}

DataCell inferenceOf(const RunRecord& run) {
    return run.timings ? DataCell(run.timings->inference) : DataCell();
}

std::vector<DataCell> rowOf(const RunRecord& run, double fastest) {
    return {fmt::format("{}x{}x{}", run.width, run.height, run.frames),
            std::int64_t{run.devices},
            run.attention,
            std::int64_t{run.ulysses},
            std::int64_t{run.ring},
            run.blockQ,
            run.blockKv,
            *run.warmStepSeconds(),
            traced(run, &TimingSummary::denoiseTotal),
            inferenceOf(run),
            *run.warmStepSeconds() / fastest,
            run.name};
}

std::vector<DataCell> pastedRow(const RunRecord& run, std::size_t columns) {
    std::vector<DataCell> row(columns);
    const std::size_t times = columns - 4;
    row[times] = traced(run, &TimingSummary::denoiseTotal);
    row[times + 1] = inferenceOf(run);
    row.back() = run.name;
    return row;
}

/// A column before that of the run, unless it would be empty; `listed` are the runs of the first rows.
void addSettings(const std::vector<const RunRecord*>& listed, DataTable& table) {
    const std::vector<std::string> settings = differingWork(listed);
    if (std::ranges::all_of(settings, &std::string::empty))
        return;
    table.columns.insert(table.columns.end() - 1, "settings");
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const bool told = row < settings.size() && !settings[row].empty();
        table.rows[row].insert(table.rows[row].end() - 1, told ? DataCell(settings[row]) : DataCell());
    }
}

}  // namespace

DataTable bestConfigs(std::span<const RunRecord> runs) {
    DataTable table{.columns = {"video", "devices", "attention", "U", "R", "block_q", "block_kv", "step_s",
                                "denoise_s", "inference_s", "slower", "run"},
                    .rows = {}};
    std::vector<const RunRecord*> taken;
    for (const RunRecord* run : fastestFirst(runs)) {
        const auto same = [run](const RunRecord* other) { return questionOf(*other) == questionOf(*run); };
        const auto sameMode = [&](const RunRecord* other) {
            return same(other) && other->attention == run->attention;
        };
        if (std::ranges::any_of(taken, sameMode))
            continue;
        taken.push_back(run);
        const double fastest = *(*std::ranges::find_if(taken, same))->warmStepSeconds();
        table.rows.push_back(rowOf(*run, fastest));
    }
    for (const RunRecord& run : runs)
        if (run.pasted && run.timings)
            table.rows.push_back(pastedRow(run, table.columns.size()));
    addSettings(taken, table);
    return table;
}

}  // namespace meshreel
