// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/pair_ranking.h"
#include "engine/runs/records/run_record.h"
#include "engine/timing/verdict.h"

namespace meshreel {

/// A setting with what its runs say together: how often it is preferred, and what it takes.
struct QualityRow {
    std::string setting;  ///< RunRating::setting
    std::string label;    ///< what drawings call it
    RankedItem ranked;
    std::vector<std::size_t> runs;  ///< places of its runs
    TimesSummary inference;         ///< of the finished runs of folders, without loading and compiling

    /// Returns whether it has a place in the chart of quality against time.
    [[nodiscard]] bool isPlaced() const { return ranked.preference.has_value() && inference.count > 0; }
};

/// Returns a row for each setting of runs with a rating: by groups, the most preferred first, those without
/// votes last.
std::vector<QualityRow> qualityRows(std::span<const RunRecord> runs);

/// Returns whether anybody voted on these settings.
bool haveVotes(std::span<const QualityRow> rows);

/// Returns what is to be known beside the rows: that several groups have no order among them. Empty where
/// they are one.
Sentence groupsSentence(std::span<const QualityRow> rows);

/// Returns setting, place ("1", "1-2"), preferred, low, high, votes, runs, inference_s, fastest_s, slowest_s;
/// and group, counted from 1, where there are several.
DataTable qualityTable(std::span<const QualityRow> rows);

/// Adds the columns setting, preferred, preferred_low, preferred_high and votes to a table of these runs, a
/// row each.
void addRatingColumns(DataTable& table, std::span<const RunRecord> runs);

}  // namespace meshreel
