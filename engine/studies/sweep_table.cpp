// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

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
    std::ranges::sort(seconds);
    return seconds;
}

DataCell medianOf(const std::vector<double>& sorted) {
    return sorted.empty() ? DataCell() : DataCell(sorted[sorted.size() / 2]);
}

}  // namespace

DataTable sweepTable(const SweepFile& sweep, std::span<const SweepRow> rows) {
    DataTable table{.columns = settingColumns(sweep), .rows = {}};
    append(table.columns, {"devices", "workers", "repeat", "status", "seconds", "bytes_moved", "detail"});
    const std::map<std::string, SweepCell> cells = cellsByName(sweep);
    for (const SweepRow& row : rows) {
        const bool ran = row.refusal.empty();
        std::vector<DataCell> line = settingsOf(cells.at(row.cell));
        line.emplace_back(std::int64_t{row.devices});
        line.emplace_back(std::int64_t{row.workersPerDevice});
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
        const std::vector<double> reference = secondsOf(rows, first.name());
        const std::vector<double> seconds = secondsOf(rows, cell.name());
        std::vector<DataCell> line = settingsOf(cell);
        line.emplace_back(static_cast<std::int64_t>(seconds.size()));
        line.push_back(medianOf(seconds));
        line.push_back(seconds.empty() ? DataCell() : DataCell(seconds.front()));
        line.push_back(seconds.empty() ? DataCell() : DataCell(seconds.back()));
        line.push_back(seconds.empty() || reference.empty() ? DataCell()
                                                            : DataCell(std::get<double>(medianOf(reference)) /
                                                                       std::get<double>(medianOf(seconds))));
        table.rows.push_back(std::move(line));
    }
    return table;
}

}  // namespace meshreel
