// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace meshreel {

/// What a chart of runs shows.
enum class ChartKind : std::uint8_t { Steps, Stages, Scaling, Tiles, Lanes, Memory };

struct ChartKindRow {
    ChartKind kind;
    std::string_view name;  ///< on the command line
    std::string_view help;  ///< a sentence without its full stop
    bool oneRun = false;    ///< shows a single run
};

/// Every kind once, in the order of the enumeration.
std::span<const ChartKindRow> chartKinds();

/// Throws Error{Project} listing the names.
ChartKind chartKindOf(std::string_view name);

}  // namespace meshreel
