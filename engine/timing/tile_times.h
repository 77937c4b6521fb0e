// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

struct RunRecord;

/// What a tile search calls its table.
inline constexpr std::string_view tileTableName = "tile_size_grid_search.csv";

/// Seconds with one pair of block sizes.
struct TileTime {
    std::int64_t blockQ = 0;
    std::int64_t blockKv = 0;
    double seconds = 0;

    friend bool operator==(const TileTime&, const TileTime&) = default;
};

/// The choices that ran of the table that a tile search writes (tile_size_grid_search.csv). Throws
/// Error{Input} naming `name` for another text, and for one in which nothing ran.
std::vector<TileTime> parseTileTable(std::string_view csv, const std::string& name);

/// What the runs tell of block sizes, each pair once: those of a tile search as they are, of runs the mean of
/// their seconds per step. Throws Error{Project} when a search and runs stand beside each other, when runs
/// are of different work, modes or meshes, and when none finished a step. Of timedRuns() only.
std::vector<TileTime> tileTimes(const std::vector<RunRecord>& runs);

/// Whether tileTimes() tells of these runs beside each other. Runs without a step, of which it tells nothing,
/// are as others.
bool differInTilesOnly(const RunRecord& a, const RunRecord& b);

}  // namespace meshreel
