// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/runs/records/run_record.h"

namespace meshreel {

/// What a chart of runs shows.
enum class ChartKind : std::uint8_t { Steps, Stages, Scaling, Tiles, Lanes, Memory, Quality };

struct ChartKindRow {
    ChartKind kind;
    std::string_view name;  ///< on the command line
    std::string_view help;  ///< a sentence without its full stop
    RunParts reads;         ///< what it is drawn from: damage in a file that it does not need does not matter
    bool oneRun = false;    ///< shows a single run
    bool ofVotes = false;   ///< needs RunRecord::rating
};

/// Returns every kind once, in the order of the enumeration.
std::span<const ChartKindRow> chartKinds();

const ChartKindRow& chartKindRow(ChartKind kind);

/// Throws Error{Project} listing the names.
ChartKind findChartKind(std::string_view name);

}  // namespace meshreel
