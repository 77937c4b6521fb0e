// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runs/records/run_record.h"

namespace meshreel {

/// What a chart of runs shows.
enum class ChartKind : std::uint8_t { Steps, Stages, Scaling, Tiles, Lanes, Memory };

struct ChartKindRow {
    ChartKind kind;
    std::string_view name;  ///< on the command line
    std::string_view help;  ///< a sentence without its full stop
    RunParts reads;         ///< what it is drawn from: a damaged file that it does not need is no matter
    bool oneRun = false;    ///< shows a single run
};

/// Every kind once, in the order of the enumeration.
std::span<const ChartKindRow> chartKinds();

const ChartKindRow& chartKindRow(ChartKind kind);

/// Throws Error{Project} listing the names.
ChartKind findChartKind(std::string_view name);

/// A measured operation.
struct RooflinePoint {
    std::string name;  ///< "linear.1.3b.ffn_up.7800"
    double flopsPerByte = 0;
    double flopsPerSecond = 0;

    friend bool operator==(const RooflinePoint&, const RooflinePoint&) = default;
};

/// What a roof is made of: a limit that points are compared with.
struct RooflinePeak {
    std::string name;  ///< "bf16"
    double flopsPerSecond = 0;

    friend bool operator==(const RooflinePeak&, const RooflinePeak&) = default;
};

/// Operations under the limits of the machine that they ran on.
struct Roofline {
    std::string machine;
    double bytesPerSecond = 0;
    std::vector<RooflinePeak> peaks;
    std::vector<RooflinePoint> points;

    friend bool operator==(const Roofline&, const Roofline&) = default;
};

/// What meshreel hands to meshreel-render.
std::string rooflineJson(const Roofline& roofline);

/// Reads rooflineJson() back. Throws Error{Input} for other text, and where there is no peak or no point, or
/// a number has no logarithm.
Roofline parseRoofline(std::string_view json);

}  // namespace meshreel
