// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/quality_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace meshreel {

namespace {

DataCell cellOf(const std::optional<Preference>& preference, double Preference::*member) {
    return preference ? DataCell((*preference).*member) : DataCell();
}

DataCell placeCell(const RankedItem& ranked) {
    if (!ranked.preference)
        return {};
    return ranked.bestPlace == ranked.worstPlace ? fmt::to_string(ranked.bestPlace)
                                                 : fmt::format("{}-{}", ranked.bestPlace, ranked.worstPlace);
}

}  // namespace

std::vector<QualityRow> qualityRows(std::span<const RunRecord> runs) {
    std::vector<QualityRow> rows;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const RunRating& rating = runs[run].rating;
        if (rating.setting.empty())
            continue;
        auto row = std::ranges::find(rows, rating.setting, &QualityRow::setting);
        if (row == rows.end()) {
            rows.push_back({.setting = rating.setting,
                            .label = rating.label.empty() ? rating.setting : rating.label,
                            .ranked = rating.ranked,
                            .runs = {},
                            .inference = {}});
            row = std::prev(rows.end());
        }
        row->runs.push_back(run);
    }
    for (QualityRow& row : rows) {
        std::vector<double> seconds;
        for (const std::size_t run : row.runs)
            if (const auto& timings = runs[run].timings; timings && timings->inference > 0)
                seconds.push_back(timings->inference);
        row.inference = summarizeTimes(seconds);
    }
    const auto order = [](const QualityRow& row) {
        return std::pair(row.ranked.group, row.ranked.preference ? -row.ranked.preference->share : 0.0);
    };
    std::ranges::stable_sort(rows, {}, order);
    return rows;
}

bool haveVotes(std::span<const QualityRow> rows) {
    return std::ranges::any_of(rows, [](const QualityRow& row) { return row.ranked.preference.has_value(); });
}

namespace {

/// Those that have votes.
int countGroups(std::span<const QualityRow> rows) {
    int groups = 0;
    for (const QualityRow& row : rows)
        if (row.ranked.preference)
            groups = std::max(groups, row.ranked.group + 1);
    return groups;
}

}  // namespace

Sentence groupsSentence(std::span<const QualityRow> rows) {
    const int groups = countGroups(rows);
    return groups < 2 ? Sentence()
                      : sentence(
                            "These settings are {} groups that nobody has compared with one another: shares "
                            "and places count within a group",
                            groups);
}

DataTable qualityTable(std::span<const QualityRow> rows) {
    DataTable table{.columns = {"setting", "place", "preferred", "low", "high", "votes", "runs",
                                "inference_s", "fastest_s", "slowest_s"},
                    .rows = {}};
    const bool severalGroups = countGroups(rows) > 1;
    if (severalGroups)
        table.columns.emplace_back("group");
    for (const QualityRow& row : rows) {
        const auto& preference = row.ranked.preference;
        const auto time = [&row](double TimesSummary::*seconds) {
            return row.inference.count > 0 ? DataCell(row.inference.*seconds) : DataCell();
        };
        table.rows.push_back({row.setting, placeCell(row.ranked), cellOf(preference, &Preference::share),
                              cellOf(preference, &Preference::low), cellOf(preference, &Preference::high),
                              std::int64_t{row.ranked.votes}, static_cast<std::int64_t>(row.runs.size()),
                              time(&TimesSummary::median), time(&TimesSummary::fastest),
                              time(&TimesSummary::slowest)});
        if (severalGroups)
            table.rows.back().push_back(preference ? DataCell(std::int64_t{row.ranked.group + 1})
                                                   : DataCell());
    }
    return table;
}

void addRatingColumns(DataTable& table, std::span<const RunRecord> runs) {
    for (const std::string_view column : {"setting", "preferred", "preferred_low", "preferred_high", "votes"})
        table.columns.emplace_back(column);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const RunRating& rating = runs[run].rating;
        const auto& preference = rating.ranked.preference;
        std::vector<DataCell>& row = table.rows[run];
        row.push_back(rating.setting.empty() ? DataCell() : DataCell(rating.setting));
        for (const auto& member : {&Preference::share, &Preference::low, &Preference::high})
            row.push_back(cellOf(preference, member));
        row.push_back(rating.setting.empty() ? DataCell() : DataCell(std::int64_t{rating.ranked.votes}));
    }
}

}  // namespace meshreel
