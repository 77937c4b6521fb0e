// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/studies/tile_grid.h"
#include "engine/studies/tile_search.h"
#include "engine/timing/data_table.h"

namespace meshreel {

// What a tile search says, line by line, as MaxDiffusion's does.

/// "[tile-search] wan/ring/u1: q_seq=9450 kv_seq=9450 mode=smart -> 15 configs (iters=10)"
std::string tileSearchHeader(const std::string& label, const LocalSequence& sequence, TileGridMode mode,
                             std::size_t choices, const TileTiming& timing);

/// "  [1/15] bq=9472 bkv=1024: 70.00ms  (compile 0s, excluded)", or "oom" or "error" in place of the time.
std::string tileTrialLine(std::size_t index, std::size_t count, const TileTrial& trial);

/// The trials by their means, those that failed last.
std::string tileSearchResults(const LocalSequence& sequence, TileGridMode mode,
                              std::vector<TileTrial> trials);

/// "[tile-search] WINNER: bq=9472 bkv=1024 bkv_compute=1024 -> 70.00 ms", or that nothing succeeded.
std::string tileWinnerLine(const TileTrial* winner);

/// bq, bkv, bkv_compute, status, mean_ms, std_ms, compile_ms, detail; in the order of tileSearchResults().
DataTable tileTable(std::vector<TileTrial> trials);

}  // namespace meshreel
