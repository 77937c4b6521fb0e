// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <span>
#include <vector>

#include "engine/timing/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Time against block_q and block_kv, a cell a pair: of runs that differ in nothing else, or of one tile
/// search. Throws as tileTimes().
ChartSheet tileSheet(const std::vector<RunRecord>& runs);

/// The same of pairs that were timed, at least one.
ChartSheet tileSheetOf(const std::vector<TileTime>& tiles);

/// Colours of the cells from fast to slow, steps of lightness, so that they need no sight of hue.
std::span<const QColor> tileShades();

}  // namespace meshreel
