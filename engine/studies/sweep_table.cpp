// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>
#include <map>

#include "engine/base/median.h"
#include "engine/studies/sweep.h"

namespace meshreel {
namespace {

std::map<std::string, SweepCell> cellsByName(const SweepFile& sweep) {
    std::map<std::string, SweepCell> cells;
    for (SweepCell& cell : sweepCells(sweep))
        cells.emplace(cell.name(), std::move(cell));
    return cells;
}

/// Strategy, the axes' values and the batch.
std::vector<DataCell> settingsOf(const SweepCell& cell) {
    std::vector<DataCell> settings{cell.strategy};
    for (const auto& [key, value] : cell.values)
        settings.emplace_back(value);
    settings.emplace_back(cell.batch);
    return settings;
}

std::vector<std::string> settingColumns(const SweepFile& sweep) {
    std::vector<std::string> columns{"strategy"};
    for (const SweepAxis& axis : sweep.axes)
        columns.push_back(axis.key);
    columns.emplace_back("batch");
    return columns;
}

void append(std::vector<std::string>& columns, std::initializer_list<const char*> more) {
    columns.insert(columns.end(), more.begin(), more.end());
}

std::vector<double> secondsOf(std::span<const SweepRow> rows, const std::string& cell) {
    std::vector<double> seconds;
    for (const SweepRow& row : rows)
        if (row.cell == cell && row.refusal.empty())
            seconds.push_back(row.seconds);
    return seconds;
}

/// Nothing for a count that a refused cell leaves open.
DataCell countCell(int count) {
    return count > 0 ? DataCell(std::int64_t{count}) : DataCell();
}

/// How many passes; their median, the fastest and the slowest of them, and the speed against the reference.
std::vector<DataCell> resultsOf(const std::vector<double>& seconds, const std::vector<double>& reference) {
    const auto passes = static_cast<std::int64_t>(seconds.size());
    if (seconds.empty())
        return {passes, {}, {}, {}, {}};
    const double median = medianOf(seconds);
    const auto [fastest, slowest] = std::ranges::minmax(seconds);
    return {passes, median, fastest, slowest,
            reference.empty() ? DataCell() : DataCell(medianOf(reference) / median)};
}

}  // namespace

DataTable sweepTable(const SweepFile& sweep, std::span<const SweepRow> rows) {
    DataTable table{.columns = settingColumns(sweep), .rows = {}};
    append(table.columns, {"devices", "workers", "repeat", "status", "seconds", "bytes_moved", "detail"});
    const std::map<std::string, SweepCell> cells = cellsByName(sweep);
    for (const SweepRow& row : rows) {
        const bool ran = row.refusal.empty();
        std::vector<DataCell> line = settingsOf(cells.at(row.cell));
        line.push_back(countCell(row.devices));
        line.push_back(countCell(row.workersPerDevice));
        line.emplace_back(std::int64_t{row.repeat});
        line.emplace_back(std::string(ran ? "ok" : "refused"));
        line.push_back(ran ? DataCell(row.seconds) : DataCell());
        line.push_back(ran ? DataCell(row.bytesMoved) : DataCell());
        line.emplace_back(row.refusal.text());
        table.rows.push_back(std::move(line));
    }
    return table;
}

DataTable sweepSummary(const SweepFile& sweep, std::span<const SweepRow> rows) {
    DataTable table{.columns = settingColumns(sweep), .rows = {}};
    append(table.columns, {"runs", "seconds", "fastest", "slowest", "speed"});
    for (const SweepCell& cell : sweepCells(sweep)) {
        SweepCell first = cell;
        first.strategy = sweep.strategies.front().name;
        std::vector<DataCell> line = settingsOf(cell);
        std::ranges::move(resultsOf(secondsOf(rows, cell.name()), secondsOf(rows, first.name())),
                          std::back_inserter(line));
        table.rows.push_back(std::move(line));
    }
    return table;
}

}  // namespace meshreel
